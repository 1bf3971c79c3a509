// Writes a stream for `git fast-import`: a repository of a given size, the same for the same numbers.
//   node generate.mjs [--files 100000] [--commits 20000] [--binaries 60] [--binaryKb 2048] [--binaryCommits 200]
// Text files compress about 3 times, binaries do not. Every 50th commit is a merge.
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: Object.fromEntries(
    ["files", "commits", "binaries", "binaryKb", "binaryCommits", "seed"].map((name) => [
      name,
      { type: "string" },
    ]),
  ),
});
const wish = { files: 100_000, commits: 20_000, binaries: 60, binaryKb: 2048, binaryCommits: 200, seed: 1 };
for (const [name, value] of Object.entries(values)) wish[name] = Number(value);

let state = wish.seed >>> 0;
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
};
const below = (n) => Math.floor(random() * n);

const words = Array.from({ length: 4000 }, () =>
  Array.from({ length: 3 + below(8) }, () => "etaoinshrdlucmfwypvbgkjqxz"[below(26)]).join(""),
);
let corpus = "";
while (corpus.length < 3_000_000) {
  let line = " ".repeat(2 * below(5));
  for (let n = 3 + below(9); n > 0; n--) line += `${words[below(words.length)]} `;
  corpus += `${line.trimEnd()};\n`;
}
const text = Buffer.from(corpus);

const pathOf = (n) => {
  const perFolder = 50;
  const folder = Math.floor(n / perFolder);
  return `packages/p${Math.floor(folder / 20)}/src/d${folder % 20}/f${n % perFolder}.ts`;
};
const places = new Uint32Array(wish.files);
const sizes = new Uint32Array(wish.files);
const edits = new Uint16Array(wish.files);
/** Its head changes with each edit; the rest stays, so that deltas are small. */
const fileOf = (n) =>
  Buffer.concat([
    Buffer.from(`// file ${n}, edit ${edits[n]}: ${words[(n * 7 + edits[n] * 13) % words.length]}\n`),
    text.subarray(places[n], places[n] + sizes[n]),
  ]);
const noise = (bytes) => {
  const made = Buffer.allocUnsafe(bytes & ~3);
  for (let at = 0; at < made.length; at += 4) made.writeUInt32LE((random() * 4_294_967_296) >>> 0, at);
  return made;
};

const pending = [];
let pendingBytes = 0;
const flush = () =>
  new Promise((resolve) => {
    const all = Buffer.concat(pending.splice(0));
    pendingBytes = 0;
    if (process.stdout.write(all)) resolve();
    else process.stdout.once("drain", resolve);
  });
const put = (piece) => {
  const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
  pending.push(bytes);
  pendingBytes += bytes.length;
};
const data = (bytes) => {
  put(`data ${bytes.length}\n`);
  put(bytes);
  put("\n");
};
const start = 1_600_000_000;
const commit = (mark, branch, at, message, from, merge) => {
  put(`commit ${branch}\nmark :${mark}\n`);
  put(`author Dev ${mark % 17} <dev${mark % 17}@example.com> ${start + at * 900} +0000\n`);
  put(`committer Dev ${mark % 17} <dev${mark % 17}@example.com> ${start + at * 900} +0000\n`);
  data(Buffer.from(message));
  if (from !== null) put(`from :${from}\n`);
  if (merge !== null) put(`merge :${merge}\n`);
};

put("feature done\n");
commit(1, "refs/heads/main", 0, "Begin\n", null, null);
put("M 100644 inline README.md\n");
data(Buffer.from("# A generated repository\n"));
put("M 100644 inline .gitignore\n");
data(Buffer.from("node_modules/\ndist/\n*.log\n"));
for (let n = 0; n < wish.files; n++) {
  sizes[n] = Math.min(60_000, Math.floor(Math.exp(7.9 + 0.9 * (random() + random() + random() - 1.5) * 2)));
  places[n] = below(text.length - sizes[n]);
  put(`M 100644 inline ${pathOf(n)}\n`);
  data(fileOf(n));
  if (pendingBytes > 8_000_000) await flush();
}
for (let n = 0; n < wish.binaries; n++) {
  put(`M 100644 inline assets/a${n}.bin\n`);
  data(noise(wish.binaryKb * 1024));
  if (pendingBytes > 8_000_000) await flush();
}
let last = 1;
for (let n = 2; n <= wish.commits; n++) {
  const isMerge = n % 50 === 0;
  commit(n, "refs/heads/main", n, `Change ${n}\n\nA line about why.\n`, last, isMerge ? n - 3 : null);
  for (let k = 0; k < 3; k++) {
    const file = below(wish.files);
    edits[file]++;
    put(`M 100644 inline ${pathOf(file)}\n`);
    data(fileOf(file));
  }
  if (wish.binaryCommits > 0 && n % Math.max(1, Math.floor(wish.commits / wish.binaryCommits)) === 0) {
    put(`M 100644 inline assets/a${below(wish.binaries)}.bin\n`);
    data(noise(wish.binaryKb * 1024));
  }
  last = n;
  if (pendingBytes > 8_000_000) await flush();
}
put(`tag v1\nfrom :${Math.max(1, Math.floor(last / 2))}\ntagger Dev <dev@example.com> ${start} +0000\n`);
data(Buffer.from("v1\n"));
put("done\n");
await flush();
