// The page: what is drawn goes to every model, and their answers come back.

import { formFor } from "./form.js";
import { reasonsOf } from "./reasons.js";
import { Newest, ask, classify } from "./service.js";
import { Sheet } from "./sheet.js";
import { ModelCard, inkImage, inkOf, make } from "./show.js";

const $ = (name) => document.getElementById(name);
const SAMPLES = 10; // beside the sheet
const fail = (error) => { $("trouble").textContent = error.message; };

start().catch(fail);

async function start() {
  const models = await ask("/api/models");
  const drawn = models.filter((model) => model.image_shape);
  if (drawn.length) await startDrawing(drawn);
  else {
    $("title").textContent = "Ask the model";
    $("lead").textContent = "Change a number, and see what each feature adds to the score.";
  }
  for (const model of models.filter((one) => !one.image_shape)) {
    const { samples } = await ask(`/api/samples?model=${encodeURIComponent(model.name)}`);
    $("forms").append(formFor(model, samples, fail));
  }
  document.body.dataset.ready = "true";
}

async function startDrawing(models) {
  $("drawing").hidden = false;
  const sheet = new Sheet($("sheet"));
  const reasons = new Reasons(models);
  const cards = new Map(models.map((model) => [model, new ModelCard(model, (name) => reasons.choose(model, name))]));
  $("answers").append(...[...cards.values()].map((card) => card.element));
  reasons.cards = cards;

  const answers = new Newest({
    work: async () => {
      const image = await sheet.toImage();
      return Promise.all(models.map((model) => classify(model, image)));
    },
    show: (said) => {
      $("trouble").textContent = "";
      $("answers").setAttribute("aria-busy", answers.waiting);
      said.forEach((answer, place) => cards.get(models[place]).show(answer));
      announce(models, said);
      reasons.explain(new Map(said.map((answer, place) => [models[place], answer])));
    },
    fail,
  });

  sheet.addEventListener("change", () => {
    $("hint").hidden = !sheet.empty;
    $("undo").disabled = !sheet.undoable;
    $("clear").disabled = sheet.empty;
    reasons.forget();
    $("answers").setAttribute("aria-busy", !sheet.empty);
    if (!sheet.empty) return answers.ask();
    answers.drop();
    for (const card of cards.values()) card.reset();
    $("summary").replaceChildren();
    reasons.hide();
    return say("The sheet is empty.");
  });
  sheet.addEventListener("pen", (event) => say(event.detail));
  $("undo").addEventListener("click", () => sheet.undo());
  $("clear").addEventListener("click", () => sheet.clear());
  $("upload").addEventListener("change", () => upload(models[0], sheet));
  await offerSamples(models[0], sheet);
}

/** The service reads the image: it refuses what is too large before unpacking it. */
async function upload(model, sheet) {
  const [file] = $("upload").files;
  if (!file) return;
  $("upload").value = ""; // so that the same file can be chosen again
  try {
    const { image } = await classify(model, file);
    sheet.setImage(inkOf(image, model.range), model.image_shape);
    $("trouble").textContent = "";
  } catch (error) {
    fail(error);
  }
}

async function offerSamples(model, sheet) {
  const { samples } = await ask(`/api/samples?model=${encodeURIComponent(model.name)}`);
  const stride = Math.max(1, Math.floor(samples.length / SAMPLES));
  let turn = 0;
  const show = () => {
    const buttons = Array.from({ length: Math.min(SAMPLES, samples.length) }, (_, place) => {
      const number = (place * stride + turn) % samples.length;
      const ink = inkOf(samples[number], model.range);
      const button = make("button", { type: "button", "aria-label": `Sample ${number + 1}` }, inkImage(ink, model.image_shape));
      button.addEventListener("click", () => sheet.setImage(ink, model.image_shape));
      return make("li", {}, button);
    });
    $("samples").replaceChildren(...buttons);
    turn += 1;
  };
  $("others").addEventListener("click", show);
  for (const name of ["samples-title", "others"]) $(name).hidden = samples.length === 0;
  show();
}

let speaking;
/** Tell screen readers, once nothing has changed for a moment. */
function say(words) {
  clearTimeout(speaking);
  speaking = setTimeout(() => { $("status").textContent = words; }, 500);
}

function announce(models, said) {
  const labels = said.map((answer) => answer.predictions[0].label);
  say(`${labels.map((label, place) => `${models[place].name}: ${label}`).join(", ")}.`);
  $("summary").replaceChildren(
    ...labels.map((label, place) => make("span", {}, `${models[place].name} `, make("b", {}, label))),
  );
}

/** The section below: one model, or two side by side. */
class Reasons {
  #models; #answers; #label = ""; #question;

  constructor(models) {
    this.#models = models;
    const option = (text, value) => make("option", { value }, text);
    const names = () => models.map((model, place) => option(model.name, place));
    $("first").append(...names());
    $("second").append(option("no other", ""), ...names());
    $("second").parentElement.hidden = models.length < 2;
    $("class").append(option("decided", ""), ...models[0].classes.map((name) => option(name, name)));
    for (const name of ["first", "second"]) $(name).addEventListener("change", () => this.#ask());
    $("class").addEventListener("change", () => this.#choose($("class").value));
    this.#question = new Newest({
      work: (asked) => Promise.all(asked.map((one) => explainOne(...one))),
      show: (columns) => {
        $("columns").replaceChildren(...columns);
        $("columns").classList.remove("busy");
      },
      fail,
      wait: 250,
    });
  }

  explain(answers) {
    this.#answers = answers;
    $("reasons").hidden = false;
    this.#ask();
  }

  /** What is on its way is about an older drawing, or other models. */
  forget() {
    this.#question.drop();
    $("columns").classList.add("busy");
  }

  hide() {
    this.#answers = undefined;
    $("reasons").hidden = true;
    $("columns").replaceChildren();
    this.#choose("");
  }

  /** Ask a model about a class; asked again, about its decision. */
  choose(model, name) {
    const place = String(this.#models.indexOf(model));
    if ($("second").value !== place) $("first").value = place;
    this.#choose(name === this.#label ? "" : name);
  }

  #choose(label) {
    this.#label = $("class").value = label;
    for (const card of this.cards?.values() ?? []) card.press(label);
    this.#ask();
  }

  #ask() {
    if (!this.#answers) return;
    const places = [$("first").value, $("second").value].filter((place) => place !== "");
    const chosen = [...new Set(places)].map((place) => this.#models[place]);
    this.forget();
    $("columns").classList.toggle("single", chosen.length === 1);
    this.#question.ask(chosen.map((model) => [model, this.#answers.get(model).image, this.#label]));
  }
}

async function explainOne(model, sample, label) {
  const known = model.classes.includes(label) ? label : null;
  try {
    const said = await ask("/api/explain", { model: model.name, sample, label: known });
    return reasonsOf(model, said, sample);
  } catch (error) {
    return make("article", { class: "card" }, make("h3", {}, model.name), make("p", { class: "none" }, error.message));
  }
}
