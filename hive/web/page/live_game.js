// What every running game is: frames that arrive, plans that are given, and lines of the game that drop what came after.

const MOST_BYTES = 160e6; // of kept frames; with more, every second one of the older half goes
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

// A world's own class has `unpackFrame(columns, tick)`, which returns a frame, and `bytes`, the size of one.
class LiveGame {
  constructor(meta, line) {
    Object.assign(this, meta);
    this.live = true;
    this.line = line;
    this.list = [];
    this.tick = [];
    this.plans = [];
    this.here = [];
    this.course = { steps: [], groups: [], leaves: meta.leaves, score_is: meta.scoreIs };
    [this.ticks, this.own, this.foes, this.score] = [[], [], [], []]; // points of the curves
  }

  get frames() { return this.list.length; }
  get first() { return this.tick[0]; }
  get last() { return this.tick.at(-1); }
  get scale() { const last = Math.max(this.last, this.ticks.at(-1) || 0); return [0, NICE.find((tick) => tick >= last) || Math.max(this.limit, last)]; }
  at(t) { return this.list[t]; }
  scoreAt(t) { return this.list[t].score ?? Infinity; }

  addPoint(tick, own, foes, score) {
    if (this.ticks.length && tick <= this.ticks.at(-1)) return;
    for (const [list, value] of [[this.ticks, tick], [this.own, own], [this.foes, foes], [this.score, score ?? NaN]]) list.push(value);
  }

  // --- frames ---

  // Takes a decoded frame; one of the tick that is shown already replaces it.
  add({ tick, line, columns }) {
    if (line !== this.line) return;
    const frame = this.unpackFrame(columns, tick);
    while (this.frames && this.last >= tick) { this.tick.pop(); this.list.pop(); }
    const plan = this.plans.length - 1, known = this.list.at(-1);
    this.list.push({ ...frame, plan, states: known && known.plan === plan ? known.states : [], score: known ? known.score : null });
    this.tick.push(tick);
    if (this.noted && this.noted.tick === tick) this.note(this.noted); // it came first
    if (this.frames * this.bytes > MOST_BYTES) this.thin();
  }

  thin() {
    const half = this.frames >> 1, keep = (_, t) => t > half || t % 2 === 0;
    this.list = this.list.filter(keep);
    this.tick = this.tick.filter(keep);
  }

  // What the server says of the tick of the last frame.
  note(status) {
    const { tick, steps, score, alive } = this.noted = status;
    const frame = this.list.at(-1), { steps: all } = this.course;
    this.addPoint(tick, ...alive.map((side) => side.reduce((sum, count) => sum + count, 0)), score);
    if (!frame || tick !== this.last) return;
    [frame.states, frame.score] = [steps, score];
    this.here.forEach((p, k) => {
      const is = steps[k];
      if (is === undefined || !all[p]) return;
      const history = all[p].history;
      if (!history.length || history.at(-1)[1] !== is) history.push([tick, is]);
      if (is === ACHIEVED && all[p].achieved < 0) all[p].achieved = tick;
    });
  }

  // A new line of the game begins at a tick: what came after it is gone.
  branch({ line, tick, again }) {
    this.line = line;
    while (this.frames > 1 && this.last > tick) { this.tick.pop(); this.list.pop(); }
    if (this.last > tick) this.tick[0] = tick; // this frame stands in until that of the tick arrives
    while (this.ticks.length && this.ticks.at(-1) > tick) for (const list of [this.ticks, this.own, this.foes, this.score]) list.pop();
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
    this.here = []; // place of each step of the last plan message in `course.steps`
    this.groupMap = null;
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
      [this.here, this.groupMap] = [places, Uint16Array.from(map)];
    });
  }

  get plan() { return this.plans.at(-1) || null; }

  // Whether a step is of the enemy or of the plan that holds now.
  isPresent({ side, plan }) { return side === 1 || plan === this.plans.length - 1; }

  stepState(t, p) {
    const step = this.course.steps[p], frame = this.list[t];
    if (step.achieved >= 0) return step.achieved <= this.tick[t] ? ACHIEVED : this.stateBefore(step, this.tick[t]);
    const k = this.here.indexOf(p);
    return k >= 0 && (frame.plan === step.plan || step.side) ? frame.states[k] ?? WAITING : this.stateBefore(step, this.tick[t]);
  }

  stateBefore({ history }, tick) {
    let state = WAITING;
    for (const [from, is] of history) if (from <= tick) state = is;
    return state;
  }

  planNow(t, side) { return side ? 0 : this.plans.length - 1; }

  // Stretches of one state of a step, as shares of the scale.
  spans(p) {
    const [first, last] = this.scale, share = (tick) => (tick - first) / (last - first), { history } = this.course.steps[p];
    return history.map(([from, is], k) => [share(from), share(k + 1 < history.length ? history[k + 1][0] : Math.max(from, this.last ?? from)), is]);
  }
}
