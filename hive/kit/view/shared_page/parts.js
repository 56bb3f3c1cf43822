// Small helpers that all pages share.

const $ = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const WAITING = 0, ACTIVE = 1, ACHIEVED = 2; // states of a step
const rgb = ([r, g, b], alpha = 1) => `rgba(${r}, ${g}, ${b}, ${alpha})`;

// On a dark page the ground is dark too: a colour keeps its hue, and its lightness is turned round.
const darkMode = matchMedia("(prefers-color-scheme: dark)");
const ground = ([r, g, b]) => {
  if (!darkMode.matches) return [r, g, b];
  const turn = 255 - Math.max(r, g, b) - Math.min(r, g, b);
  return [r, g, b].map((part) => Math.round(32 + 0.8 * (part + turn)));
};
const mixed = (one, other, share) => one.map((part, k) => Math.round(part + (other[k] - part) * share));
// What stands on the ground is lighter there.
const halo = () => (darkMode.matches ? "rgba(20,22,26,0.85)" : "rgba(255,255,255,0.95)"); // round words and signs
const onGround = (colour, share = 0.45) => (darkMode.matches ? mixed(colour, [255, 255, 255], share) : colour);

// An attribute `style` would be refused by a strict content security policy; the same words set by script are not.
const dress = (node, attributes) => {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "style") node.style.cssText = value;
    else node.setAttribute(key, value);
  }
  return node;
};
const make = (name, attributes = {}, ...children) => {
  const node = dress(document.createElement(name), attributes);
  node.append(...children);
  return node;
};

function drawIcon(paint, places = 1, ratio = 2) {
  const canvas = make("canvas", { "aria-hidden": "true", width: 16 * places * ratio, height: 16 * ratio });
  const draw = canvas.getContext("2d");
  draw.scale(ratio, ratio);
  paint(draw);
  return canvas;
}
