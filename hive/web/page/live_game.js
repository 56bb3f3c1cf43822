// What every running game is: frames that arrive, plans that are given, and lines of the game that drop what came after.

const MOST_BYTES = 160e6; // of kept frames; with more, every second one of the older half goes, and is asked for again
const NICE = [50, 100, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10000];

function unpackText(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

// The arrays of a greeting, by name.
async function unpackArrays({ meta, data }) {
  const bytes = unpackText(data), kinds = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array }, stored = {};
  for (const { name, kind, start, size } of meta.arrays) {
    stored[name] = new kinds[kind]((await inflate(bytes.subarray(start, start + size))).buffer);
  }
  return stored;
}

// A world's own class has `unpackFrame(columns, tick, map)`, which returns a frame (`map` leads from groups of the plan
// that held then to those of the course), and `bytes`, the size of one.
class LiveGame {
  constructor(meta, line) {
    Object.assign(this, meta);
    this.live = true;
    this.line = line;
    this.list = [];
    this.tick = [];
    this.plans = [];
    this.places = []; // by plan: place of each of its steps in `course.steps`
    this.held = -1; // which plan held at the tick that is shown
    this.maps = []; // by plan: place plus one of each of its groups in `course.groups`
    this.course = { steps: [], groups: [], leaves: meta.leaves, score_is: meta.scoreIs };
    this.points = [this.ticks, this.own, this.foes, this.score] = [[], [], [], []]; // of the curves
  }

  get frames() { return this.list.length; }
  get first() { return 0; }
  get last() { return this.tick.at(-1); }
  get scale() { const last = Math.max(this.last, this.ticks.at(-1) || 0); return [0, NICE.find((tick) => tick >= last) || Math.max(this.limit, last)]; }
  at(t) { return this.list[t]; }
  scoreAt(t) { return this.list[t].score ?? Infinity; }

  addPoint(...point) {
    if (this.ticks.length && point[0] <= this.ticks.at(-1)) return;
    this.points.forEach((list, k) => list.push(point[k] ?? NaN));
  }

  // --- frames ---

  // Takes a decoded frame; one of the tick that is shown already replaces it.
  add({ tick, line, columns }) {
    if (line !== this.line) return;
    while (this.frames && this.last >= tick) { this.tick.pop(); this.list.pop(); }
    const plan = this.plans.length - 1, known = this.list.at(-1);
    this.list.push({ ...this.unpackFrame(columns, tick, this.maps[plan]), plan, states: known && known.plan === plan ? known.states : [], score: known ? known.score : null });
    this.tick.push(tick);
    if (this.noted && this.noted.tick === tick) this.note(this.noted); // it came first
    if (this.frames * this.bytes > MOST_BYTES) this.thin();
  }

  // Takes an earlier tick that was asked for.
  async insert({ frame: text, steps: states, score }) {
    const { tick, line, columns } = await this.decode(unpackText(text).buffer, null);
    if (line !== this.line || tick >= this.last || this.tick.includes(tick)) return;
    const plan = this.plans.findLastIndex((each) => each.tick <= tick), at = this.tick.findIndex((known) => known > tick);
    this.list.splice(at, 0, { ...this.unpackFrame(columns, tick, this.maps[plan]), plan, states, score });
    this.tick.splice(at, 0, tick);
    if (this.frames * this.bytes > MOST_BYTES) this.thin();
  }

  thin() {
    const half = this.frames >> 1, keep = (_, t) => t > half || t % 2 === 0;
    this.list = this.list.filter(keep);
    this.tick = this.tick.filter(keep);
  }

  // What the server says of the tick of the last frame.
  note(status) {
    const { tick, steps, score, point, plan } = this.noted = status;
    const frame = this.list.at(-1);
    this.addPoint(...point);
    if (!frame || tick !== this.last) return;
    [frame.states, frame.score] = [steps, score];
    this.noteSteps(tick, plan, steps);
  }

  // Notes the states of the steps of a plan (its number, from 1) at a tick.
  noteSteps(tick, plan, states) {
    (this.places[plan - 1] || []).forEach((p, k) => {
      const is = states[k], step = this.course.steps[p];
      if (is === undefined) return;
      if (!step.history.length || step.history.at(-1)[1] !== is) step.history.push([tick, is]);
      if (is === ACHIEVED && step.achieved < 0) step.achieved = tick;
    });
  }

  // A new line of the game begins at a tick: what came after it is gone.
  branch({ line, tick, again }) {
    this.line = line;
    while (this.frames > 1 && this.last > tick) { this.tick.pop(); this.list.pop(); }
    if (this.last > tick) this.tick[0] = tick; // this frame stands in until that of the tick arrives
    while (this.ticks.length && this.ticks.at(-1) > tick) for (const list of this.points) list.pop();
    this.forget(tick);
    this.setPlans(again ? [] : this.plans.filter((plan) => plan.tick <= tick));
    for (const step of this.course.steps) {
      step.history = step.history.filter(([from]) => from <= tick);
      if (step.achieved > tick) step.achieved = -1;
    }
  }

  // --- plans ---

  addPlan(plan) {
    this.setPlans([...this.plans.slice(0, plan.number - 1).filter(({ tick }) => tick <= plan.tick), plan]);
  }

  // Joins the plans that the player followed one after another; the enemy's steps are the same in all of them.
  setPlans(plans) {
    const known = new Map(this.course.steps.map((step) => [`${step.plan} ${step.at}`, step]));
    this.plans = plans;
    this.course.steps = [];
    this.course.groups = [];
    [this.places, this.maps] = [[], []];
    const theirs = [], theirGroups = [];
    plans.forEach((words, plan) => {
      const places = words.steps.map((step, at) => {
        if (step.side && plan) return theirs[words.steps.slice(0, at).filter(({ side }) => side).length];
        const kept = known.get(`${plan} ${at}`);
        const same = kept && kept.objective === step.objective && kept.text === words.text;
        this.course.steps.push({ ...step, plan: step.side ? 0 : plan, at, text: words.text, history: same ? kept.history : [], achieved: same ? kept.achieved : -1 });
        if (step.side) theirs.push(this.course.steps.length - 1);
        return this.course.steps.length - 1;
      });
      let enemy = 0;
      const map = [0, ...words.groups.map((group) => {
        if (words.steps[group.step].side && plan) return theirGroups[enemy++] + 1;
        this.course.groups.push({ ...group, step: places[group.step] });
        if (words.steps[group.step].side) theirGroups.push(this.course.groups.length - 1);
        return this.course.groups.length;
      })];
      this.places.push(places);
      this.maps.push(Uint16Array.from(map));
    });
  }

  get plan() { return this.plans.at(-1) || null; }

  // Whether a step is of the enemy or of the plan that holds at the tick that is shown.
  isPresent({ side, plan }) { return side === 1 || plan === this.held; }

  stepState(t, p) {
    const step = this.course.steps[p], frame = this.list[t];
    if (step.achieved >= 0) return step.achieved <= this.tick[t] ? ACHIEVED : this.stateBefore(step, this.tick[t]);
    const k = (this.places[frame.plan] || []).indexOf(p);
    return k >= 0 ? frame.states[k] ?? WAITING : this.stateBefore(step, this.tick[t]);
  }

  stateBefore({ history }, tick) {
    let state = WAITING;
    for (const [from, is] of history) if (from <= tick) state = is;
    return state;
  }

  planNow(t, side) { return side ? 0 : this.list[t].plan; }

  // Stretches of one state of a step, as shares of the scale.
  spans(p) {
    const [first, last] = this.scale, share = (tick) => (tick - first) / (last - first), { history } = this.course.steps[p];
    return history.map(([from, is], k) => [share(from), share(k + 1 < history.length ? history[k + 1][0] : Math.max(from, this.last ?? from)), is]);
  }
}
