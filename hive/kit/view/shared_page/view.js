// The map area of any replay: its layers, zoom and pan, and where a place of the map is on the screen.

// The places of some groups, each once for a side, with the numbers of their steps as its label.
function gatherPlaces(groups) {
  const found = new Map();
  for (const { side, x, y, step, number: name } of groups) {
    const key = `${side} ${x} ${y}`;
    if (!found.has(key)) found.set(key, { side, x, y, numbers: new Set(), steps: [] });
    found.get(key).numbers.add(name);
    found.get(key).steps.push(step);
  }
  return [...found.values()].map((place) => ({ ...place, label: [...place.numbers].join(", ") }));
}

class View {
  constructor(size, down) {
    this.size = size; // of the map's side
    this.down = down; // 1: y grows downwards, to the south; -1: upwards, to the north
    this.box = document.getElementById("field");
    this.layers = ["ground", "units", "signs"].map((id) => document.getElementById(id));
    [this.ground, this.units, this.signs] = this.layers.map((layer) => layer.getContext("2d"));
    this.zoom = 1;
    this.centre = [size / 2, size / 2];
  }

  resize() {
    const { clientWidth: wide, clientHeight: high } = this.box;
    this.ratio = window.devicePixelRatio || 1;
    [this.wide, this.high] = [wide, high];
    for (const layer of this.layers) {
      layer.width = Math.round(wide * this.ratio);
      layer.height = Math.round(high * this.ratio);
    }
    this.look();
  }

  // Sets the view after a change of size, zoom or centre, and draws what stands still in it.
  look() {
    const { size } = this, fit = Math.min(this.wide, this.high) / size;
    this.scale = fit * this.zoom; // screen pixels to a unit of the map
    this.centre = this.centre.map((middle, axis) => {
      const half = (axis ? this.high : this.wide) / 2 / this.scale;
      return 2 * half >= size ? size / 2 : Math.min(Math.max(middle, half), size - half);
    });
    this.left = this.wide / 2 - this.centre[0] * this.scale;
    this.origin = this.high / 2 - this.down * this.centre[1] * this.scale; // where y is 0
    this.box.classList.toggle("zoomed", this.zoom > 1);
    this.prepare();
  }

  toScreen(x, y) { return [this.left + x * this.scale, this.origin + this.down * y * this.scale]; }
  toMap(px, py) { return [(px - this.left) / this.scale, this.down * (py - this.origin) / this.scale]; }

  zoomAt(factor, px = this.wide / 2, py = this.high / 2) {
    const [x, y] = this.toMap(px, py);
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), 40);
    const scale = Math.min(this.wide, this.high) / this.size * this.zoom;
    this.centre = [x + (this.wide / 2 - px) / scale, y + this.down * (this.high / 2 - py) / scale];
    this.look();
  }

  pan(dx, dy) {
    this.centre = [this.centre[0] - dx / this.scale, this.centre[1] - this.down * dy / this.scale];
    this.look();
  }

  // Shows the scale next to the legend, where it covers nothing of the map.
  showScale(unit, compass = "") {
    const count = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((m) => m * this.scale >= 48) || 1000;
    if (!this.scaleBar) {
      this.scaleBar = make("i");
      this.scaleWords = make("span");
      $("stage").insertBefore(make("p", { id: "scale" }, this.scaleBar, this.scaleWords), $("field").nextSibling);
    }
    this.scaleBar.style.width = `${count * this.scale}px`;
    this.scaleWords.textContent = `${count} ${unit}${compass}`;
  }
}
