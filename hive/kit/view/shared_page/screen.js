// What every page has around its map: which frame is shown, zoom and pan by hand, the tip of a unit, the legend.
// A page is a screen of its kind of world with a clock on top: that of a replay, or that of a running game.

class Screen {
  constructor(game, field) {
    this.game = game;
    this.field = field;
    this.now = game.first; // the tick that is shown, with a fraction
    this.pointer = null; // where the mouse is over the map
    this.followed = -1; // unit that was clicked
  }

  wire() {
    this.wireZoom();
    this.wireField();
    this.wireKeys();
    new ResizeObserver(() => { this.field.resize(); this.drawCurves(); this.redraw(); }).observe(this.field.box);
    darkMode.addEventListener("change", () => this.restyle());
    this.field.resize();
    this.drawCurves();
    this.show();
  }

  // The page became dark or light.
  restyle() {
    if (this.buildLegend) {
      $("legend").replaceChildren();
      this.buildLegend();
    }
    this.field.look();
    this.redraw();
  }

  // Shows everything again after a change of the view.
  redraw() {
    this.signed = null;
    this.show();
  }

  leave() {
    this.followed = -1;
    this.show();
  }

  get frame() { // the last frame at or before now
    const { tick, frames } = this.game;
    let low = 0, high = frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tick[middle] <= this.now) low = middle; else high = middle - 1;
    }
    return low;
  }

  // How much of the ticks on the scales of charts and steps have passed.
  get part() {
    const [first, last] = this.game.scale;
    return last > first ? (this.now - first) / (last - first) : 0;
  }

  // The frame at or before now; notes how far the clock is on its way to the next one.
  shareOut() {
    const { game } = this, t = this.frame, next = Math.min(t + 1, game.frames - 1), gap = game.tick[next] - game.tick[t];
    this.share = gap ? (this.now - game.tick[t]) / gap : 0;
    return t;
  }

  addChart(figure, lines, top, write, low = 0) {
    const { ticks, scale: [first, last] } = this.game;
    this.charts.push(drawChart(figure, { ticks, first, last, lines, low, top, write, pick: (tick) => this.pick(tick) }));
  }

  moveCursors() {
    for (const chart of this.charts) chart.move(this.part);
  }

  // Puts the tip beside unit i, rather above it, and whole.
  placeTip(i, gap) {
    const { field } = this, tip = $("tip"), [px, py] = field.screenOf(i), [wide, high] = this.tipSize;
    const x = px + gap + wide < field.wide ? px + gap : px - gap - wide;
    tip.style.left = `${Math.min(Math.max(x, 4), Math.max(field.wide - wide - 4, 4))}px`;
    tip.style.top = `${Math.min(Math.max(py - 0.85 * high, 4), Math.max(field.high - high - 4, 4))}px`;
  }

  // Adds a box to tick to the legend.
  offer(words, picture, on, change) {
    const box = make("input", { type: "checkbox" });
    box.checked = on;
    box.addEventListener("change", () => { change(box.checked); this.redraw(); });
    $("legend").append(make("label", {}, box, ...picture, words));
  }

  wireZoom() {
    const view = (change) => () => { change(); this.redraw(); };
    const press = { "zoom-in": view(() => this.field.zoomAt(1.5)), "zoom-out": view(() => this.field.zoomAt(1 / 1.5)),
      "zoom-fit": view(() => this.field.zoomAt(0)) };
    for (const [id, act] of Object.entries(press)) $(id).addEventListener("click", act);
    document.addEventListener("click", (event) => { // after a mouse click the keys go to the page, not to the button
      if (event.detail && event.target.closest("button, select, input[type=checkbox]:not(:focus-visible)")) document.activeElement.blur();
    });
  }

  // What a press at a place of the map takes hold of: an object with `move` and `drop`, or null for the map itself.
  grab() { return null; }

  // A press and release at one place of the map: follow the unit there.
  tap(px, py) {
    const under = this.field.find(px, py, this.frame);
    this.followed = under === this.followed ? -1 : under;
  }

  wireField() {
    const { field } = this, { box } = field;
    const place = (event) => { const edge = box.getBoundingClientRect(); return [event.clientX - edge.left - 1, event.clientY - edge.top - 1]; };
    const aside = (event) => event.target.closest(".over"); // what lies over the map and is none of it
    box.addEventListener("wheel", (event) => {
      const closer = event.deltaY < 0;
      if (aside(event) || (!closer && field.zoom <= 1)) return;
      event.preventDefault();
      field.zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...place(event));
      this.redraw();
    }, { passive: false });
    const fingers = new Map(); // by pointer: where it is
    const spread = () => { // the middle of two fingers and how far they are apart
      const [[x, y], [toX, toY]] = [...fingers.values()];
      return { x: (x + toX) / 2, y: (y + toY) / 2, wide: Math.max(Math.hypot(toX - x, toY - y), 1) };
    };
    for (const event of ["touchstart", "touchmove"]) { // two fingers, and what one finger holds, move the map and not the page
      box.addEventListener(event, (touch) => {
        if (touch.cancelable && (fingers.size > 1 || (this.dragging && this.dragging.held))) touch.preventDefault();
      }, { passive: false });
    }
    box.addEventListener("pointerdown", (event) => {
      if (event.button || aside(event) || (fingers.size > 1 && !event.isPrimary)) return;
      const at = place(event);
      if (event.isPrimary) fingers.clear();
      fingers.set(event.pointerId, at);
      if (fingers.size > 1) {
        if (this.dragging && this.dragging.held) this.dragging.held.drop(false);
        this.dragging = { last: at, far: true, held: null };
        for (const id of fingers.keys()) box.setPointerCapture(id);
        return;
      }
      const held = this.grab(...at);
      this.dragging = { from: at, last: at, far: false, held };
      if (held) { event.preventDefault(); box.setPointerCapture(event.pointerId); }
    });
    box.addEventListener("pointermove", (event) => {
      const at = place(event), before = fingers.size > 1 && fingers.has(event.pointerId) ? spread() : null;
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at);
      if (before) {
        const now = spread();
        field.zoomAt(now.wide / before.wide, before.x, before.y);
        field.pan(now.x - before.x, now.y - before.y);
        this.redraw();
        return;
      }
      this.pointer = aside(event) ? null : at;
      const [x, y] = field.toMap(...at), { size } = field;
      $("place").textContent = x >= 0 && y >= 0 && x <= size && y <= size ? `x ${Math.floor(x)}, y ${Math.floor(y)}` : "";
      const drag = this.dragging;
      if (drag) {
        const dx = at[0] - drag.last[0], dy = at[1] - drag.last[1];
        if (!drag.far && Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]) > 4) {
          drag.far = true;
          box.setPointerCapture(event.pointerId);
          box.classList.add("dragging");
        }
        if (drag.far && drag.held) { drag.held.move(x, y); this.signed = null; }
        else if (drag.far && field.zoom > 1) { field.pan(dx, dy); this.signed = null; }
        drag.last = at;
      }
      if (!this.playing || drag) this.show();
    });
    const drop = (event) => {
      fingers.delete(event.pointerId);
      const drag = this.dragging;
      if (fingers.size) { // the finger that stays drags on
        [drag.last] = fingers.values();
        return;
      }
      this.dragging = null;
      box.classList.remove("dragging");
      if (drag && drag.held && drag.far) drag.held.drop(event.type === "pointerup");
      else if (drag && !drag.far && event.type === "pointerup") this.tap(...place(event));
      this.show();
    };
    box.addEventListener("pointerup", drop);
    box.addEventListener("pointercancel", drop);
    box.addEventListener("pointerleave", () => { this.pointer = null; $("place").textContent = ""; this.show(); });
  }

  // What each key does outside of fields of text.
  keys() {
    return { "+": () => $("zoom-in").click(), "=": () => $("zoom-in").click(), "-": () => $("zoom-out").click(),
      0: () => $("zoom-fit").click(), Escape: () => this.leave() };
  }

  wireKeys() {
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target.closest("select, textarea, input:not([type=checkbox], [type=range])")) return;
      const act = this.keys(event)[event.key];
      if (!act || ([" ", "Enter"].includes(event.key) && event.target.closest("button, a, input[type=checkbox]"))) return;
      event.preventDefault();
      act();
    });
  }
}
