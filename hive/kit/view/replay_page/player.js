// The clock of a replay, its controls and keys, and the start of the page.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

// Adds a replay's clock to a screen; `pace` is how many ticks pass in a second at speed 1.
const withPlayer = (Base, pace) => class extends Base {
  constructor(game) {
    super(game);
    this.speed = 1;
    this.playing = false;
    this.wireControls();
    this.wire();
  }

  seek(tick) {
    this.now = Math.min(Math.max(tick, this.game.first), this.game.last);
    this.show();
  }

  pick(tick) {
    this.pause();
    this.seek(tick);
  }

  skip(frames) {
    const on = this.now > this.game.tick[this.frame] && frames < 0 ? 1 : 0; // between two frames, back is the nearer one
    this.pick(this.game.tick[Math.min(Math.max(this.frame + frames + on, 0), this.game.frames - 1)]);
  }

  play() {
    if (this.now >= this.game.last) this.now = this.game.first;
    this.playing = true;
    document.body.classList.add("playing");
    $("play").setAttribute("aria-label", "Pause");
    this.before = null;
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame((time) => this.run(time));
  }

  pause() {
    this.playing = false;
    document.body.classList.remove("playing");
    $("play").setAttribute("aria-label", "Play");
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  run(time) {
    if (!this.playing) return;
    const passed = this.before === null ? 0 : Math.min(time - this.before, 250) / 1000;
    this.before = time;
    this.seek(this.now + passed * this.speed * pace);
    if (this.now >= this.game.last) this.pause();
    else this.waiting = requestAnimationFrame((next) => this.run(next));
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = String(speed);
  }

  showClock() { $("scrub").value = this.now; }

  showTick(t) {
    const { game } = this, { beat = "tick" } = game;
    $("scrub").setAttribute("aria-valuetext", `${beat} ${game.tick[t]} of ${game.last}`);
    $("tick").replaceChildren(`${beat} `, make("b", {}, number(game.tick[t])), ` of ${number(game.last)}`);
  }

  wireControls() {
    const { game } = this, scrub = $("scrub");
    [scrub.min, scrub.max] = [game.first, game.last];
    scrub.addEventListener("input", () => this.pick(Number(scrub.value)));
    scrub.addEventListener("change", () => { if (!this.playing) this.seek(game.tick[this.frame]); });
    for (const speed of SPEEDS) $("speed").append(make("option", { value: speed }, `${speed}×`));
    this.setSpeed(1);
    $("speed").title = `Speed (↑ ↓); 1× is ${pace} ${game.beat ?? "tick"}s per second`;
    $("speed").addEventListener("change", () => this.setSpeed(Number($("speed").value)));
    const press = { play: () => this.toggle(), back: () => this.skip(-1), forth: () => this.skip(1) };
    for (const [id, act] of Object.entries(press)) $(id).addEventListener("click", act);
  }

  keys(event) {
    const many = event.shiftKey ? 10 : 1, faster = (by) => this.setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1)]);
    return { ...super.keys(event), " ": () => this.toggle(), ArrowLeft: () => this.skip(-many), ArrowRight: () => this.skip(many),
      ArrowUp: () => faster(1), ArrowDown: () => faster(-1), Home: () => this.seek(this.game.first), End: () => this.pick(this.game.last) };
  }
};

async function begin(makeGame, open) {
  try {
    const { meta, stored } = await unpack(), terrain = $("terrain");
    if (terrain) await terrain.decode();
    window.replay = open(makeGame(meta, stored));
  } catch (error) {
    $("problem").textContent = error.message;
    $("problem").hidden = false;
    document.querySelector("main").hidden = true;
    throw error;
  }
}
