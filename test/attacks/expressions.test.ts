import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";
import { expect, it } from "vitest";
import { processorTime } from "../support/processor-time.ts";

const root = join(import.meta.dirname, "../..");
/** The folders of the service itself: the page and the command line have their own processes. */
const folders = [
  ...["core", "ports", "plugins", "adapters-infra"],
  ...["api", "composition", "http", "library", "mcp"].map((host) => `hosts/${host}`),
];

/** Expressions whose text is short, or no agent's. */
const bounded: Readonly<Record<string, string>> = {
  "core/model/runs/failure-reason.ts": "the last 4 KiB of an error output",
  "core/model/runs/masking/secret-parts.ts": "values of secrets, of at most 24 characters",
  "plugins/kit/address-kind.ts": "addresses that net.isIP accepts",
  "plugins/kit/conformance.ts": "the version in an adapter's manifest",
  "plugins/kit/reset-time.ts": "what another expression found, in which letters follow each number",
  "adapters-infra/kubernetes/kubeconfig.ts": "a file of the operator",
  "adapters-infra/local/issue-workspaces.ts": "names of folders",
  "adapters-infra/local/read-git-dir.ts": "a program of awk, on a line of at most 4 KiB",
  "hosts/composition/wiring/open-code-stores.ts": "the version of git",
};

interface Found {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const literal =
  /(?<=[=(,:?[!&|{}\n;]\s{0,40}|return )\/(?![*/])((?:\\.|\[(?:\\.|[^\]\n\\])*\]|[^/\n\\[])+)\/([dgimsuvy]*)(?=[\s.,;)\]?:&|}])/g;

const expressions = (): readonly Found[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|mjs)$/.test(name) && !name.includes("node_modules"))
      .flatMap((name) => {
        const text = readFileSync(join(root, folder, name), "utf8").replace(/^\s*(\*|\/\/).*$/gm, "");
        return [...text.matchAll(literal)].map(([, source = "", flags = ""]) => ({
          file: `${folder}/${name}`,
          source,
          flags,
        }));
      }),
  );

const alphabet = [..." \t\n\rab01AZ-_.:/,;=\"'`([{<>)]}@#|~*+!&%$?^\\é\u001b\0"];
const token =
  /\\(?:p\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|.)|\[(?:\\.|[^\]\\])*\]|\(\?<?[:=!]|\(\?<\w+>|\{\d+,?\d*\}|./gsu;

const charactersOf = (each: string): readonly string[] => {
  if (/^[^\\[.]$/u.test(each)) return [each];
  try {
    const one = new RegExp(`^(?:${each})$`, "iu");
    return alphabet.filter((character) => one.test(character));
  } catch {
    return [];
  }
};

/** The parts that an expression may repeat: characters of each of its classes, and its literal texts. */
const piecesOf = (source: string): readonly string[] => {
  const pieces = new Set<string>();
  let part = "";
  const end = () => {
    if (part !== "") pieces.add(part);
    part = "";
  };
  for (const [each] of source.matchAll(token)) {
    const isSyntax = /^(?:[()|*+?^$]|\(\?|\{\d|\\[bB])/.test(each);
    const characters = isSyntax ? [] : charactersOf(each);
    if (isSyntax) end();
    const chosen = characters.find((character) => /[a-z0-9]/i.test(character)) ?? characters[0];
    if (characters.length > 1)
      for (const character of [characters[0], chosen, characters.find((one) => /[^\w\s]/.test(one))])
        if (character !== undefined) pieces.add(character);
    part += chosen ?? "";
  }
  end();
  return [...pieces].slice(0, 12);
};

const length = 24_000;
const textsFor = (source: string): readonly string[] => {
  const pieces = piecesOf(source);
  const pumps = [...pieces, ...pieces.flatMap((one) => pieces.slice(0, 4).map((other) => one + other))];
  const begins = ["", ...pieces.slice(0, 4), pieces.slice(0, 2).join(""), pieces.slice(0, 3).join("")];
  return pumps
    .slice(0, 40)
    .flatMap((pump) =>
      [...new Set(begins)].map((begin) => `${begin}${pump.repeat(Math.floor(length / pump.length))}\u0001`),
    );
};

const context = vm.createContext({ text: "", expression: / / });
const search = new vm.Script('text.replace(expression, "")');
/** One that takes time in proportion to the text is a thousand times below it, one in proportion to its square beyond. */
const mostMs = 15;

const isSlow = ({ source, flags }: Found, text: string): boolean => {
  Object.assign(context, { text, expression: new RegExp(source, flags.replace("g", "")) });
  const takesLong = (): boolean => {
    const took = processorTime();
    try {
      search.runInContext(context, { timeout: 2_000 });
    } catch {
      return true;
    }
    return took() > mostMs;
  };
  return [1, 2, 3, 4].every(takesLong);
};

it("No expression of the service takes more than a time in proportion to its text, whatever agents write", () => {
  const found = expressions().filter(({ source }) => /[*+]|\{\d+,\}/.test(source));
  expect(found.length).toBeGreaterThan(200);
  const slow = found.flatMap((each) => {
    const text = each.file in bounded ? undefined : textsFor(each.source).find((one) => isSlow(each, one));
    return text === undefined
      ? []
      : [`${each.file}: /${each.source}/ on ${JSON.stringify(text.slice(0, 40))}`];
  });
  expect(slow).toEqual([]);
});

it("An expression that does is found", () => {
  for (const source of [
    "\\s+$",
    "^\\s*\\[\\s*([^[\\]]+?)\\s*\\]$",
    "hit your [\\w\\s-]*limit",
    "\\b[a-z][a-z.-]*:\\/\\/",
  ]) {
    const each = { file: "", source, flags: "" };
    expect(
      textsFor(source).some((text) => isSlow(each, text)),
      source,
    ).toBe(true);
  }
});
