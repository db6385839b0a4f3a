// What is on the page, as the fragment of its address: a copied link opens the same.

export function fresh() {
  return {
    text: "", // as it was typed or picked
    spaced: false, // picked: its words are what is between spaces
    query: "",
    target: "", // the predicted label
    edits: {}, // by position: "" for a word that is removed, else what stands for it
    methods: null, // those that the model shows first
    by: "signed",
    share: 0.2,
    weights: [null, null], // of each model
    off: [[], []], // heads
  };
}

export function toFragment(state) {
  const kept = new URLSearchParams();
  const usual = fresh();
  for (const name of ["text", "query", "target", "by"]) {
    if (state[name] !== usual[name]) kept.set(name, state[name]);
  }
  if (state.spaced) kept.set("spaced", "1");
  if (state.share !== usual.share) kept.set("share", String(state.share));
  if (state.methods) kept.set("methods", state.methods.join(","));
  if (Object.keys(state.edits).length) kept.set("edits", JSON.stringify(state.edits));
  state.weights.forEach((weights, model) => {
    if (weights) kept.set(`weights${model}`, weights.map((each) => +each.toFixed(4)).join(","));
  });
  state.off.forEach((off, model) => {
    if (off.length) kept.set(`off${model}`, off.map((head) => head.join(".")).join(","));
  });
  return `#${kept}`;
}

// A link may have been written by anybody: what is not as expected is left aside.
export function fromFragment(fragment) {
  const kept = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = fresh();
  for (const name of ["text", "query", "target"]) state[name] = kept.get(name) ?? "";
  state.spaced = kept.get("spaced") === "1";
  if (kept.get("by") === "size") state.by = "size";
  const share = Number(kept.get("share") ?? NaN);
  if (share >= 0 && share <= 1) state.share = share;
  if (kept.get("methods") !== null) state.methods = kept.get("methods").split(",").filter(Boolean);
  state.edits = editsOf(kept.get("edits"));
  for (const model of [0, 1]) {
    const weights = (kept.get(`weights${model}`) ?? "").split(",").map(Number);
    if (kept.get(`weights${model}`) && weights.every((each) => each >= 0)) {
      state.weights[model] = weights;
    }
    const heads = (kept.get(`off${model}`) ?? "").split(",").filter(Boolean);
    state.off[model] = heads
      .map((head) => head.split(".").map(Number))
      .filter((head) => head.length === 2 && head.every((each) => Number.isInteger(each)));
  }
  return state;
}

function editsOf(written) {
  try {
    const entries = Object.entries(JSON.parse(written) ?? {});
    return Object.fromEntries(
      entries.filter(([position, word]) => /^\d+$/.test(position) && typeof word === "string")
    );
  } catch {
    return {};
  }
}
