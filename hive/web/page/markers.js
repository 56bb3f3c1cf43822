// Markers on the map: set by a click, dragged, or typed in; the commander reads of them with the next order.

const LETTERS = ["A", "B", "C", "D"];

class Markers {
  constructor(screen, link) {
    this.screen = screen;
    this.link = link;
    this.letter = null; // of the open form
    this.fixed = Object.keys(screen.game.markers).filter((letter) => !LETTERS.includes(letter));
    this.buttons = new Map(LETTERS.map((letter) => {
      const button = make("button", { type: "button", "aria-pressed": "false", title: `Marker ${letter} (${letter.toLowerCase()}): then click the map` }, letter);
      button.addEventListener("click", () => this.toggle(letter));
      $("letters").append(button);
      return [letter, button];
    }));
    $("mark-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.set(this.letter, Number($("mark-x").value), Number($("mark-y").value));
      this.close();
    });
    $("mark-remove").addEventListener("click", () => { this.send(this.letter, null); this.close(); });
    $("mark-form").addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
    for (const id of ["mark-x", "mark-y"]) $(id).max = screen.field.size - 1;
    this.came(screen.game.markers);
  }

  get enabled() { return !document.body.classList.contains("viewing"); }

  came(markers) {
    this.screen.game.markers = markers;
    for (const [letter, button] of this.buttons) {
      const place = markers[letter];
      button.classList.toggle("set", Boolean(place));
      button.setAttribute("aria-label", place ? `Marker ${letter} at x ${place[0]}, y ${place[1]}` : `Marker ${letter}, not on the map`);
    }
    this.screen.redraw();
  }

  toggle(letter) {
    if (!this.enabled || this.letter === letter) return this.close();
    this.letter = letter;
    const { game } = this.screen, [x, y] = game.markers[letter] || [Math.floor(this.screen.field.size / 2), Math.floor(this.screen.field.size / 2)];
    [$("mark-x").value, $("mark-y").value] = [Math.floor(x), Math.floor(y)];
    $("mark-name").textContent = `Marker ${letter}`;
    $("mark-remove").hidden = !game.markers[letter];
    $("mark-form").hidden = false;
    for (const [each, button] of this.buttons) button.setAttribute("aria-pressed", String(each === letter));
    $("mark-x").focus({ preventScroll: true });
  }

  close() {
    this.letter = null;
    $("mark-form").hidden = true;
    for (const button of this.buttons.values()) button.setAttribute("aria-pressed", "false");
  }

  send(letter, place) {
    this.link.send("mark", { letter, x: place && place[0], y: place && place[1] });
  }

  set(letter, x, y) {
    const top = this.screen.field.size - 1, inside = (at) => Math.min(Math.max(Math.floor(at), 0), top);
    this.send(letter, [inside(x), inside(y)]);
  }

  // A click on the map while the form is open puts the marker there.
  tap(px, py) {
    if (!this.letter) return false;
    this.set(this.letter, ...this.screen.field.toMap(px, py));
    this.close();
    return true;
  }

  // Takes hold of the pin under the pointer: it stands above its place.
  grab(px, py) {
    const { game, field } = this.screen;
    const letter = this.enabled && Object.keys(game.markers).find((each) => {
      const [x, y] = field.toScreen(...game.markers[each]);
      return !this.fixed.includes(each) && Math.abs(px - x) < 12 && py < y + 5 && py > y - 30;
    });
    if (!letter) return null;
    const before = game.markers[letter];
    return {
      move: (x, y) => {
        const size = field.size - 1, place = [x, y].map((at) => Math.min(Math.max(Math.floor(at), 0), size));
        game.markers = { ...game.markers, [letter]: place };
        $("place").textContent = `${letter}: x ${place[0]}, y ${place[1]}`;
      },
      drop: (done) => {
        if (done) this.set(letter, ...game.markers[letter]);
        else this.came({ ...game.markers, [letter]: before });
      },
    };
  }
}
