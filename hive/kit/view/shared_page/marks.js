// Marks on a battle's map: units by side and type, fallen units, targets and markers.

const CORPSE = 2; // after the shades of a unit outside (0) and inside (1) a forest

function traceShape(draw, shape, x, y, r) {
  const corners = (...points) => {
    points.forEach(([px, py], k) => draw[k ? "lineTo" : "moveTo"](x + px * r, y + py * r));
    draw.closePath();
  };
  draw.beginPath();
  if (shape === "square") draw.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
  else if (shape === "circle") draw.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === "triangle") corners([0, -1.25], [1.17, 0.85], [-1.17, 0.85]);
  else if (shape === "diamond") corners([0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]);
  else if (shape === "star") {
    corners([0, -1.15], [1.17, 0.95], [-1.17, 0.95]);
    corners([0, 1.15], [1.17, -0.95], [-1.17, -0.95]);
  } else { // plus
    draw.rect(x - 1.1 * r, y - 0.38 * r, 2.2 * r, 0.76 * r);
    draw.rect(x - 0.38 * r, y - 1.1 * r, 0.76 * r, 2.2 * r);
  }
}

function drawUnit(draw, palette, side, type, forest, x, y, r, thin) {
  draw.fillStyle = rgb(onGround(palette.outlines[side][type][forest], 0.85));
  traceShape(draw, palette.shapes[type], x, y, r);
  draw.fill();
  draw.fillStyle = rgb(onGround(palette.units[side][type][forest], 0.15));
  traceShape(draw, palette.shapes[type], x, y, r - Math.max(0.7 * thin, 0.13 * r));
  draw.fill();
}

function drawCross(draw, colour, x, y, r, thin) {
  draw.strokeStyle = rgb(colour);
  draw.lineWidth = Math.max(1.2 * thin, 0.6 * r);
  draw.beginPath();
  draw.moveTo(x - r, y - r); draw.lineTo(x + r, y + r);
  draw.moveTo(x - r, y + r); draw.lineTo(x + r, y - r);
  draw.stroke();
}

function drawTarget(draw, colour, x, y, label, alpha, right = Infinity) {
  draw.globalAlpha = alpha;
  for (const [paint, width, grow] of [[halo(), 3.4, 0.9], [rgb(onGround(colour)), 1.8, 0]]) {
    draw.strokeStyle = draw.fillStyle = paint;
    draw.lineWidth = width;
    draw.beginPath(); draw.arc(x, y, 5.4, 0, 2 * Math.PI); draw.stroke();
    draw.beginPath(); draw.arc(x, y, 1.5 + grow, 0, 2 * Math.PI); draw.fill();
  }
  if (label) {
    draw.font = "700 12px system-ui, sans-serif";
    draw.textBaseline = "middle";
    draw.lineJoin = "round"; draw.lineWidth = 3.5; draw.strokeStyle = halo();
    draw.fillStyle = rgb(onGround(colour));
    const wide = draw.measureText(label).width, from = x + 9 + wide < right ? x + 9 : x - 9 - wide;
    draw.strokeText(label, from, y); draw.fillText(label, from, y);
  }
  draw.globalAlpha = 1;
}

// A pin at a place; an open one lets the units under it be seen.
function drawPin(draw, colour, x, y, letter, scale = 1, open = false) {
  const r = 9 * scale, up = 1.8 * r, ink = rgb(onGround(colour, 0.85));
  draw.beginPath();
  draw.arc(x, y - up, r, Math.PI - 0.98, 2 * Math.PI + 0.98);
  draw.lineTo(x, y);
  draw.closePath();
  if (open) {
    for (const [paint, width] of [[halo(), 3.6], [ink, 1.8]]) { draw.lineWidth = width; draw.strokeStyle = paint; draw.stroke(); }
  } else {
    draw.lineWidth = 2.6 * scale; draw.strokeStyle = "rgba(255,255,255,0.95)"; draw.stroke();
    draw.fillStyle = rgb(colour); draw.fill();
  }
  draw.font = "700 12px system-ui, sans-serif";
  draw.textAlign = "center"; draw.textBaseline = "middle"; draw.lineJoin = "round";
  if (open) { draw.lineWidth = 3; draw.strokeStyle = halo(); draw.strokeText(letter, x, y - up + 0.5); }
  draw.fillStyle = open ? ink : "#fff";
  draw.fillText(letter, x, y - up + 0.5);
  draw.textAlign = "start";
}
