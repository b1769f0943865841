// Pieces of the page: elements, images, bars.

/** An element with attributes and children; nothing that comes from data is markup. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A number in few characters. */
export function short(value, signed = false) {
  const size = Math.abs(value);
  const digits = size >= 1000 || size === 0 ? 0 : size >= 100 ? 1 : 2;
  const text = size !== 0 && (size >= 1e6 || size < 0.005) ? size.toExponential(1) : size.toFixed(digits);
  return `${value < 0 ? "−" : signed ? "+" : ""}${text}`;
}

/** Ink of a sample, from 0 to 1. */
export function inkOf(values, range) {
  const [low, high] = range ?? [Math.min(...values), Math.max(...values)];
  return values.map((value) => Math.min(1, Math.max(0, (value - low) / (high - low || 1))));
}

/** An image of ink, black on nothing; the style turns it at night. */
export function inkImage(ink, [height, width], label) {
  const [canvas, context] = blank(height, width, label);
  canvas.className = "pixels ink";
  const pixels = context.createImageData(width, height);
  ink.forEach((value, place) => { pixels.data[4 * place + 3] = Math.round(255 * value); });
  context.putImageData(pixels, 0, 0);
  return canvas;
}

/** Shapley values over a faint drawing: orange speaks for, blue against. */
export function valueMap(values, ink, [height, width], label) {
  const [canvas, context] = blank(height, width, label);
  const pixels = context.createImageData(width, height);
  const most = Math.max(...values.map(Math.abs)) || 1;
  values.forEach((value, place) => {
    const strength = (Math.abs(value) / most) ** 0.7;
    const colour = value > 0 ? [230, 105, 20] : [40, 110, 220];
    const faint = 0.45 * ink[place];
    const whole = strength + faint * (1 - strength);
    const mix = colour.map((part) => (part * strength + 128 * faint * (1 - strength)) / (whole || 1));
    pixels.data.set([...mix.map(Math.round), Math.round(255 * whole)], 4 * place);
  });
  context.putImageData(pixels, 0, 0);
  return canvas;
}

function blank(height, width, label) {
  const named = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const canvas = make("canvas", { width, height, class: "pixels", ...named });
  return [canvas, canvas.getContext("2d")];
}

/** A model with its decision, and a bar for each score; a bar asks why. */
export class ModelCard {
  #decision; #seen; #bars; #model;

  constructor(model, onClass) {
    this.#model = model;
    this.#decision = make("p", { class: "decision" }, "–");
    this.#seen = make("div", { class: "seen", title: "As the model sees it" });
    const vectors = model.n_support_vectors;
    const size = vectors === null ? [] : [make("br"), `${vectors.toLocaleString("en")} support vectors`];
    const kind = make("p", { class: "kind" }, model.kind, ...size);
    const title = make("div", { class: "title" }, make("h3", {}, model.name), kind);
    const list = make("ol", { class: "bars" });
    this.#bars = new Map(model.classes.map((name) => [name, makeBar(name, () => onClass(name))]));
    for (const bar of this.#bars.values()) list.append(make("li", {}, bar));
    const head = make("header", {}, title, this.#decision, ...(model.image_shape ? [this.#seen] : []));
    this.element = make("article", { class: "card model", "aria-label": model.name }, head, list);
    this.reset();
  }

  show({ predictions: [{ label, scores }], image }) {
    const values = Object.values(scores);
    const low = Math.min(...values);
    const spread = Math.max(...values) - low || 1;
    this.#decide(label);
    for (const [name, bar] of this.#bars) {
      const score = scores[name];
      // scores of pairs, which are of no class, have no bar
      const share = score === undefined ? 0 : (score - low) / spread;
      fillBar(bar, share, score === undefined ? "" : short(score), name === label);
    }
    if (image) this.#seen.replaceChildren(this.#picture(image));
  }

  reset() {
    this.#decide("–");
    for (const bar of this.#bars.values()) fillBar(bar, 0, "", false);
    this.#seen.replaceChildren();
  }

  press(label) {
    for (const [name, bar] of this.#bars) bar.setAttribute("aria-pressed", String(name === label));
  }

  #decide(label) {
    this.#decision.textContent = label;
    this.#decision.classList.toggle("long", label.length > 3);
  }

  #picture(image) {
    const { range, image_shape: shape, name } = this.#model;
    return inkImage(inkOf(image, range), shape, `The drawing as ${name} sees it`);
  }
}

function makeBar(name, act) {
  const track = make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: "fill" }));
  const bar = make(
    "button", { type: "button", class: "bar", "aria-pressed": "false", title: `Why, or why not ${name}?` },
    make("span", {}, name), track, make("span", { class: "number" }),
  );
  bar.addEventListener("click", act);
  return bar;
}

function fillBar(bar, share, text, won) {
  bar.querySelector(".fill").style.width = `${(100 * share).toFixed(1)}%`;
  bar.querySelector(".number").textContent = text;
  bar.classList.toggle("won", won);
}
