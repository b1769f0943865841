// Questions to the service, and which of its answers still matter.

/** Ask, and throw the service's own sentence if it refuses. */
export async function ask(path, body) {
  const json = body !== undefined && !(body instanceof FormData);
  const options = body === undefined ? {} : {
    method: "POST",
    body: json ? JSON.stringify(body) : body,
    headers: json ? { "Content-Type": "application/json" } : {},
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The service does not answer; is it still running?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.detail ?? `The service said ${answer.status}.`);
  return said;
}

/** Classify an image; each model sees it in its own shape. */
export function classify(model, image) {
  const form = new FormData();
  form.append("file", image, "drawing.png");
  form.append("model", model.name);
  return ask("/api/predict/image", form);
}

/** One question at a time, then the newest; answers to what was dropped are not shown. */
export class Newest {
  #work; #show; #fail; #wait; #timer; #next; #busy = false; #age = 0;

  constructor({ work, show, fail, wait = 0 }) {
    this.#work = work;
    this.#show = show;
    this.#fail = fail;
    this.#wait = wait;
  }

  /** Whether there is something newer to ask. */
  get waiting() { return this.#next !== undefined; }

  ask(question) {
    this.#next = { question };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#go(), this.#wait);
  }

  drop() {
    clearTimeout(this.#timer);
    this.#next = undefined;
    this.#age += 1;
  }

  async #go() {
    if (this.#busy || !this.#next) return;
    const { question } = this.#next;
    const age = this.#age;
    this.#next = undefined;
    this.#busy = true;
    try {
      const answer = await this.#work(question);
      if (age === this.#age) this.#show(answer);
    } catch (error) {
      if (age === this.#age) this.#fail(error);
    }
    this.#busy = false;
    this.#go();
  }
}
