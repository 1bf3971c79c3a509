/** A line that names an error: `TypeError: …`, `java.io.IOException: …`, `error[E0308]: …`, `x.c:1:20: error: …`, `ERROR …`. */
const namesError = [
  /^(?:Uncaught )?(?:[\w$]+(?:\.|::|\/))*[A-Z][\w$]*(?:Error|Exception|Rejection)(?: \[\w+\])?(?:: |:?$)/,
  /^(?:[\w .()-]+ )?(?:error|fatal|fatal error|panic|critical|failure|exception|uncaught exception)(?:\[\w+\])?: ?/i,
  /^\S+: (?:fatal )?error: /i,
  /^Exception in thread /,
  /^Unhandled exception\b/i,
  /^\*\* \(\w/,
  /\(\w*(?:Error|Exception)\)$/,
  /^npm (?:error|ERR!) \S/,
  /^\[?(?:\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?\s+)?\[?(?:ERROR|FATAL|CRITICAL|PANIC)\b/,
];

/** A line like an error that only counts errors, names a cause of one, or says where more is. */
const addsToError = [
  /^Caused by: /,
  /^error: (?:aborting due to|could not compile) /,
  /^npm (?:error|ERR!) (?:code|errno|syscall|path|dest|file|signal|command|workspace|location|A complete log of this run|\d{3}$)/,
];

/** The message is the next line that is not indented. */
const introducesMessage =
  /^(?:Traceback \(most recent call last\)|thread '.*' (?:\(\d+\) )?panicked at .*):$/;

/** A line about where it happened, or how to learn more. */
const isAside = [
  /^(?:at |#\d+ |goroutine \d|created by |stack backtrace:|Stack trace:|note: |hint: |help: |\+ )/,
  /^[\w./$*()[\]-]{1,200}\(.*\)$/,
  /^(?:Node\.js|Bun) v\d/,
  /^exit status \d+$/,
  /^make(?:\[\d+\])?: /,
  /^[\])}^~]+[,;]?$/,
  /^(?:Usage|For more information)\b/,
  /^usage: /,
];

const maxChars = 1000;
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

const isOne = (patterns: readonly RegExp[], line: string): boolean =>
  patterns.some((pattern) => pattern.test(line));

/**
 * Returns the line of a program's error output that says what went wrong; "" for an empty output. It is the last line that
 * names an error; otherwise the last that is neither indented nor part of a stack.
 */
export const failureReason = (output: string): string => {
  const lines = output
    .replaceAll(escapes, "")
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const outer = lines.filter((line) => /^\S/.test(line));
  const isMessage = (line: string, at: number) =>
    introducesMessage.test(outer[at - 1] ?? "") ||
    (isOne(namesError, line) && !isOne(addsToError, line) && !introducesMessage.test(line));
  const reason =
    outer.findLast(isMessage) ??
    outer.findLast((line) => isOne(addsToError, line)) ??
    outer.findLast((line) => !isOne(isAside, line)) ??
    lines.map(withoutMargin).findLast((line) => isOne(namesError, line)) ??
    lines.map(withoutMargin).at(-1) ??
    "";
  return withNextLine(reason, lines).replaceAll(/\s+/g, " ").trim().slice(0, maxChars);
};

/** The lines of a group of exceptions have a margin of spaces and bars. */
const withoutMargin = (line: string): string => line.replace(/^[\s|+-]+/, "");

/** An error whose message begins on the next line, or is a field of the object that begins there. */
const withNextLine = (reason: string, lines: readonly string[]): string => {
  const rest = lines.slice(lines.lastIndexOf(reason) + 1).map((line) => line.trim());
  if (reason.endsWith(":")) return `${reason} ${rest[0] ?? ""}`;
  const message = reason.endsWith("{") ? rest.find((line) => /^"?message"?: /.test(line)) : undefined;
  return message === undefined
    ? reason
    : `${reason.slice(0, -1)}${message.replace(/^"?message"?: ["'`]?/, "").replace(/["'`]?,?$/, "")}`;
};
