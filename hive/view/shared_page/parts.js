// Small helpers that all pages share.

const $ = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const WAITING = 0, ACTIVE = 1, ACHIEVED = 2; // states of a step
const rgb = ([r, g, b], alpha = 1) => `rgba(${r}, ${g}, ${b}, ${alpha})`;

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
