// The sheet: strokes by mouse, pen, finger or keyboard, over an image or none.

const SIDE = 280; // pixels of what is sent
const PEN = 0.075; // of the sheet's side
// MNIST's strokes are about so thick, compared with the digit; small drawings too
const THICKNESS = 0.135;

export class Sheet extends EventTarget {
  #canvas; #context; #marks = []; #stroke = null; #pen = { x: 0.5, y: 0.3 }; #keys = false;

  constructor(canvas) {
    super();
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    this.#listenToPointers();
    this.#listenToKeys();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
    this.#draw();
  }

  /** What was done since the sheet was last empty or got an image. */
  get #shown() {
    const from = this.#marks.findLastIndex((mark) => mark.kind !== "stroke");
    return this.#marks.slice(Math.max(from, 0)).filter((mark) => mark.kind !== "clear");
  }

  get empty() { return this.#shown.length === 0; }
  get undoable() { return this.#marks.length > 0; }

  undo() {
    if (!this.undoable) return;
    this.#marks.pop();
    this.#stroke = null;
    this.#changed();
  }

  clear() {
    if (this.empty) return;
    this.#marks.push({ kind: "clear" });
    this.#stroke = null;
    this.#changed();
  }

  /** Begin from an image: ink from 0 to 1, row by row. */
  setImage(ink, [height, width]) {
    const image = new OffscreenCanvas(width, height);
    const pixels = new ImageData(width, height);
    ink.forEach((value, place) => { pixels.data[4 * place + 3] = Math.round(255 * value); });
    image.getContext("2d").putImageData(pixels, 0, 0);
    this.#marks.push({ kind: "image", image });
    this.#stroke = null;
    this.#changed();
  }

  /** Black on white, as a PNG. */
  toImage() {
    const canvas = new OffscreenCanvas(SIDE, SIDE);
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, SIDE, SIDE);
    paint(context, this.#shown, SIDE, "#000", this.#thickness());
    return canvas.convertToBlob({ type: "image/png" });
  }

  #thickness() {
    const marks = this.#shown;
    if (marks.some((mark) => mark.kind === "image")) return PEN;
    const points = marks.flatMap((mark) => mark.points);
    const extent = (axis) => {
      const values = points.map((point) => point[axis]);
      return Math.max(...values) - Math.min(...values);
    };
    return Math.min(0.13, Math.max(0.02, THICKNESS * Math.max(extent("x"), extent("y"))));
  }

  #draw() {
    const [context, side] = [this.#context, this.#canvas.width];
    context.clearRect(0, 0, side, side);
    const ink = getComputedStyle(this.#canvas).getPropertyValue("--ink");
    paint(context, this.#shown, side, ink, PEN);
    if (!this.#keys) return;
    context.beginPath();
    context.arc(this.#pen.x * side, this.#pen.y * side, (PEN / 2) * side + 3, 0, 7);
    context.lineWidth = 5;
    context.setLineDash(this.#stroke ? [] : [9, 7]);
    context.strokeStyle = getComputedStyle(this.#canvas).getPropertyValue("--accent");
    context.stroke();
    context.setLineDash([]);
  }

  #changed() {
    this.#draw();
    this.dispatchEvent(new Event("change"));
  }

  #begin(point) {
    this.#stroke = { kind: "stroke", points: [point] };
    this.#marks.push(this.#stroke);
    this.#changed();
  }

  #listenToPointers() {
    const canvas = this.#canvas;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width;
      const y = (event.clientY - box.top) / box.height;
      return { x: Math.min(1, Math.max(0, x)), y: Math.min(1, Math.max(0, y)) };
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      canvas.setPointerCapture(event.pointerId);
      this.#keys = false;
      this.#begin(place(event));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.#stroke || !event.isPrimary || this.#keys) return;
      const events = event.getCoalescedEvents?.() ?? [];
      for (const one of events.length ? events : [event]) this.#stroke.points.push(place(one));
      this.#changed();
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, () => { if (!this.#keys) this.#stroke = null; });
    }
  }

  #listenToKeys() {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const act = (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") return this.undo();
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.key === "Delete" || event.key === "Backspace") return this.clear();
      if (event.key === " " || event.key === "Enter") return this.#lowerOrLift();
      if (event.key in moves) return this.#move(moves[event.key], event.shiftKey ? 0.01 : 0.03);
      return false;
    };
    this.#canvas.addEventListener("keydown", (event) => {
      if (act(event) !== false) event.preventDefault();
    });
    this.#canvas.addEventListener("blur", () => {
      if (!this.#keys) return;
      this.#keys = false;
      this.#stroke = null;
      this.#draw();
    });
  }

  #lowerOrLift() {
    this.#keys = true;
    if (this.#stroke) this.#stroke = null;
    else this.#begin({ ...this.#pen });
    this.#draw();
    this.dispatchEvent(new CustomEvent("pen", { detail: this.#stroke ? "Pen down" : "Pen up" }));
  }

  #move([x, y], step) {
    this.#keys = true;
    const within = (value) => Math.min(0.97, Math.max(0.03, value));
    this.#pen = { x: within(this.#pen.x + step * x), y: within(this.#pen.y + step * y) };
    if (!this.#stroke) return this.#draw();
    this.#stroke.points.push({ ...this.#pen });
    return this.#changed();
  }
}

function paint(context, marks, side, ink, thickness) {
  context.lineCap = context.lineJoin = "round";
  context.lineWidth = thickness * side;
  context.strokeStyle = context.fillStyle = ink;
  for (const mark of marks) {
    if (mark.kind === "image") paintImage(context, mark.image, side, ink);
    else paintStroke(context, mark.points, side);
  }
}

function paintImage(context, image, side, ink) {
  const tinted = new OffscreenCanvas(image.width, image.height);
  const small = tinted.getContext("2d");
  small.drawImage(image, 0, 0);
  small.globalCompositeOperation = "source-in";
  small.fillStyle = ink;
  small.fillRect(0, 0, image.width, image.height);
  context.imageSmoothingEnabled = false;
  context.drawImage(tinted, 0, 0, side, side);
}

/** A curve through the middles of what was seen of the pointer. */
function paintStroke(context, points, side) {
  const at = points.map((point) => [point.x * side, point.y * side]);
  context.beginPath();
  context.moveTo(...at[0]);
  for (let i = 1; i < at.length - 1; i += 1) {
    const [x, y] = at[i];
    context.quadraticCurveTo(x, y, (x + at[i + 1][0]) / 2, (y + at[i + 1][1]) / 2);
  }
  context.lineTo(...at.at(-1));
  context.stroke();
}
