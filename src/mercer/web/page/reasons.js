// Why: samples for and against a class, and the map of Shapley values.

import { inkImage, inkOf, make, short, valueMap } from "./show.js";

/** A column that explains one answer of a model. */
export function reasonsOf(model, said, sample) {
  const parts = [
    make("h3", {}, `${model.name}: why ${said.class === said.label ? "" : "not "}${said.class}?`),
    make("p", { class: "sum" }, sumOf(model, said)),
    make("div", {}, ...mapOf(model, said, sample)),
    make("div", {}, ...pullsOf(model, said)),
  ];
  return make("article", { class: "card why", "aria-label": `Why, ${model.name}` }, ...parts);
}

function sumOf(model, said) {
  if (said.by === "neighbours") {
    const [own, all] = [said.votes[said.class], Object.values(said.votes).reduce((a, b) => a + b)];
    return `${own} of the ${all} nearest training images are ${said.class}.`;
  }
  const { for: pro, against, start } = said.totals;
  const count = model.n_support_vectors.toLocaleString("en");
  const total = short(pro + against + start);
  const begun = Math.abs(start) < 1e-9 ? "" : `, ${short(start, true)} to begin with`;
  const sum = `${count} support vectors add up to ${total}: ${short(pro, true)} for, ${short(against, true)} against${begun}.`;
  if (!said.votes) return sum;
  return `${sum} It won ${said.votes[said.class]} of its ${model.classes.length - 1} votes against other classes.`;
}

function mapOf(model, said, sample) {
  const title = make("h4", {}, "Pixels");
  if (!said.shapley) return [title, make("p", { class: "none" }, said.note)];
  const most = Math.max(...said.shapley.map(Math.abs));
  const label = `Map of Shapley values for class ${said.class}: orange pixels speak for it, blue ones against it`;
  const picture = valueMap(said.shapley, inkOf(sample, model.range), model.image_shape, label);
  const ends = make(
    "span", { class: "ends" },
    make("span", {}, `against ${short(-most)}`), make("span", {}, `for ${short(most, true)}`),
  );
  const scale = make("span", { class: "scale", "aria-hidden": "true" });
  return [title, make("div", { class: "map" }, picture), make("p", { class: "legend" }, scale, ends)];
}

function pullsOf(model, said) {
  const what = said.by === "neighbours" ? "Neighbours" : "Support vectors";
  return ["for", "against"].flatMap((side) => [
    make("h4", {}, `${what} ${side} ${said.class}`),
    said[side].length ? listOf(model, said[side], side) : make("p", { class: "none" }, "None."),
  ]);
}

function listOf(model, pulls, side) {
  const items = pulls.map((pull) => {
    const share = pull.label ?? short(pull.share, true);
    const words = pull.label
      ? `training image ${pull.sample}, a ${pull.label}, at distance ${short(pull.distance)}`
      : `training image ${pull.sample} adds ${share}`;
    const picture = pull.vector && model.image_shape
      ? [make("div", { class: "thumb", title: words }, inkImage(inkOf(pull.vector), model.image_shape, words))]
      : [make("div", {}, `sample ${pull.sample}`)];
    return make("li", {}, ...picture, make("span", { class: "share" }, share));
  });
  return make("ul", { class: `pulls ${side}` }, ...items);
}

/** For samples that are no images: what each feature adds. */
export function featuresOf(model, said, most = 12) {
  if (!said.shapley) return make("p", { class: "none" }, said.note);
  const names = model.feature_names ?? said.shapley.map((_, place) => `feature ${place}`);
  const largest = Math.max(...said.shapley.map(Math.abs)) || 1;
  const order = said.shapley.map((value, place) => [value, names[place]]);
  order.sort(([a], [b]) => Math.abs(b) - Math.abs(a));
  const items = order.slice(0, most).map(([value, name]) => {
    const bar = make("i");
    bar.style.width = `${(50 * Math.abs(value)) / largest}%`;
    const side = make("span", { class: `side ${value < 0 ? "against" : "for"}`, "aria-hidden": "true" }, bar);
    return make("li", {}, make("span", {}, name), side, make("span", { class: "value" }, short(value, true)));
  });
  return make("ul", { class: "features" }, ...items);
}
