// The connection to the server: texts and frames in the order in which they were sent, and a new try when it is lost.

// What the server says against something, with its help on a line of its own.
const withHelp = (why) => why.replace(/\n\s*= help: /g, "\n→ ");

const MOST = 64 * 1024; // bytes of a message; the server ends the connection at a longer one
const RETRY = [0.3, 0.6, 1, 2, 4]; // seconds between tries

class Link {
  // `hear(words)` and `see(buffer)` may be asynchronous; the next message waits for them. `changed(state)` is told
  // `open`, `lost` or, with a reason, `refused`.
  constructor(address, { hear, see, changed }) {
    Object.assign(this, { address, hear, see, changed, tries: 0, count: 0, asked: new Map() });
    this.connect();
  }

  connect() {
    const socket = this.socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    let chain = Promise.resolve();
    let taken = 0;
    socket.onopen = () => this.changed("open");
    socket.onmessage = ({ data }) => {
      chain = chain.then(() => socket === this.socket && this.take(data)).then(() => { if (++taken > 20) this.tries = 0; }).catch((error) => this.fail(error));
    };
    socket.onclose = ({ code, reason }) => {
      for (const { fail } of this.asked.values()) fail(new Error("the connection was lost"));
      this.asked.clear();
      if (code === 1008) return this.changed("refused", reason); // the server does not want this page
      this.changed("lost");
      setTimeout(() => this.connect(), 1000 * RETRY[Math.min(this.tries++, RETRY.length - 1)]);
    };
  }

  async take(data) {
    if (typeof data !== "string") return this.see(data);
    const words = JSON.parse(data), waiting = this.asked.get(words.id);
    if (waiting && ["answer", "checked", "looked", "refused", "saving"].includes(words.is)) {
      this.asked.delete(words.id);
      waiting.done(words);
      words.awaited = true;
    }
    return this.hear(words);
  }

  // A message that the page does not understand: the next frames may build on it, so everything is asked for again.
  fail(error) {
    console.error(error);
    if (this.socket.readyState === WebSocket.OPEN) this.socket.close();
  }

  get open() { return this.socket.readyState === WebSocket.OPEN; }

  send(action, fields = {}) {
    const text = JSON.stringify({ do: action, ...fields });
    if (new Blob([text]).size > MOST) throw new Error(`This text is too long: a message has at most ${MOST / 1024} kB.`);
    if (this.open) this.socket.send(text);
  }

  // Sends a message and returns a promise of what the server says to it.
  ask(action, fields = {}) {
    const id = `${action}-${++this.count}`;
    if (!this.open) return Promise.reject(new Error("there is no connection"));
    return new Promise((done, fail) => {
      this.send(action, { ...fields, id });
      this.asked.set(id, { done, fail });
    });
  }
}
