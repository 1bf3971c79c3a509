/**
 * The code before a UI parser in its worker. The parser gets the language only, as in the service's own sandbox; that it
 * reaches no network is the frame's doing, whose policy a worker inherits.
 */
const language = new Set(
  (
    "AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError " +
    "Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN " +
    "Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError " +
    "URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet decodeURI decodeURIComponent " +
    "encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape"
  ).split(" "),
);

interface ParserModule {
  readonly parseStdoutLine?: Parse;
  readonly createStdoutParser?: () => { readonly parseLine: Parse };
}

type Parse = (line: string, ts: string) => unknown;

const { stringify } = JSON;
const { isArray } = Array;
const module: { exports: ParserModule } = { exports: {} };
const answer = postMessage.bind(globalThis) as (text: string) => void;

const usable = ({ parseStdoutLine, createStdoutParser }: ParserModule): Parse | null => {
  if (typeof createStdoutParser === "function") {
    const made = createStdoutParser();
    return (line, ts) => made.parseLine(line, ts);
  }
  return typeof parseStdoutLine === "function" ? parseStdoutLine : null;
};

let parse: Parse | null | undefined;

/** The entries of a line as text; none where the parser throws. */
const entriesOf = (by: Parse, line: string, ts: string): string => {
  try {
    const entries = by(line, ts);
    return (isArray(entries) && stringify(entries)) || "[]";
  } catch {
    return "[]";
  }
};

addEventListener("message", ({ data }: MessageEvent<readonly { line: string; ts: string }[]>) => {
  parse ??= usable(module.exports);
  const by = parse;
  answer(by === null ? "" : `[${data.map(({ line, ts }) => entriesOf(by, line, ts)).join()}]`);
});

answer("begun");

for (let owner: object = globalThis; owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
  for (const name of Object.getOwnPropertyNames(owner)) {
    if (owner === globalThis && language.has(name)) continue;
    // Properties that cannot be deleted belong to the language.
    Reflect.deleteProperty(owner, name);
  }
Object.assign(globalThis, { module, exports: module.exports });
