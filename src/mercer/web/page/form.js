// Models of tables: a field for each feature, scores, and what each feature adds.

import { featuresOf } from "./reasons.js";
import { Newest, ask } from "./service.js";
import { ModelCard, make } from "./show.js";

const MOST_FIELDS = 60;

/** A form for one model. */
export function formFor(model, samples, fail) {
  const title = make("h2", {}, model.name);
  if (model.n_features > MOST_FIELDS || !samples.length) {
    const values = Object.keys(model.words).length ? "values" : "numbers";
    const words = `It takes ${model.n_features.toLocaleString("en")} ${values} a sample; send them to /api/predict.`;
    return make("article", { class: "card" }, title, make("p", {}, words));
  }
  let label;
  const card = new ModelCard(model, (name) => { label = name; renew(); });
  const why = make("div", { "aria-live": "polite" });
  const inputs = fieldsOf(model);
  const question = new Newest({ work, show, fail, wait: 150 });

  function renew() {
    const sample = inputs.map((input) => (input.value === "" ? NaN : Number(input.value)));
    if (sample.every(Number.isFinite)) question.ask(sample);
  }
  async function work(sample) {
    const [answer, said] = await Promise.all([
      ask("/api/predict", { model: model.name, samples: [sample] }),
      ask("/api/explain", { model: model.name, sample, label }).catch((error) => ({ note: error.message })),
    ]);
    return { answer, said };
  }
  function show({ answer, said }) {
    card.show(answer);
    card.press(said.class);
    const heading = make("h3", {}, said.class === undefined ? "Why?" : `What speaks for ${said.class}`);
    why.replaceChildren(heading, featuresOf(model, said));
  }
  let place = 0;
  const fill = () => {
    samples[place % samples.length].forEach((value, i) => { inputs[i].value = String(Number(value.toPrecision(4))); });
    place += 1;
    label = undefined;
    renew();
  };
  const other = make("button", { type: "button" }, "Another sample");
  other.addEventListener("click", fill);
  const fields = make("div", { class: "fields" }, ...inputs.map((input) => input.parentElement));
  fields.addEventListener("input", renew);
  fill();
  return make("article", { class: "card" }, title, fields, other, make("div", { class: "table" }, card.element, why));
}

function fieldsOf(model) {
  return Array.from({ length: model.n_features }, (_, place) => {
    const input = make("input", { type: "number", step: "any" });
    make("label", {}, model.feature_names?.[place] ?? `feature ${place}`, input);
    return input;
  });
}
