import type { AgentId } from "../../shared/ids.ts";
import { isEscaped, withoutCode } from "./without-code.ts";

/** An agent that a mention may name. */
export interface Mentionable<Id extends string = AgentId> {
  readonly id: Id;
  readonly name: string;
  readonly urlKey: string;
}

/**
 * Returns the agents that a comment mentions, each once, in order of appearance: `@name`, `@urlKey` or
 * `[text](agent://<id>)`. Case is ignored, the longest name wins, names may contain spaces; code and e-mail addresses
 * contain no mentions. Where several agents have the name, each is mentioned.
 */
export const mentionedAgents = <Id extends string>(
  body: string,
  agents: readonly Mentionable<Id>[],
): readonly Id[] => {
  const found = new Map<Id, number>();
  const record = (id: Id, at: number) => {
    if (!found.has(id)) found.set(id, at);
  };
  const links = agentLinks(fold(withoutCode(body)));
  const byId = new Map(agents.map((agent) => [agent.id.toLowerCase(), agent.id]));
  for (const link of links.found) {
    const id = byId.get(link.id);
    if (id !== undefined) record(id, link.at);
  }
  for (const { from, bearers } of namedIn(links.text, agents)) for (const id of bearers) record(id, from);
  return [...found].sort(([, a], [, b]) => a - b).map(([id]) => id);
};

/** A sign with the name after it, as positions in a text. */
export interface NameMentioned<Id extends string = AgentId> {
  readonly from: number;
  readonly to: number;
  readonly agentIds: readonly Id[];
}

/** Returns where names of agents stand in a text without code and links, in order. */
export const namesMentioned = <Id extends string>(
  text: string,
  agents: readonly Mentionable<Id>[],
): readonly NameMentioned<Id>[] => {
  if (!text.includes("@")) return [];
  const folded = fold(text);
  const originalAt = originalPositions(text, folded);
  if (originalAt === null) return [];
  return namedIn(folded, agents).map(({ from, to, bearers }) => ({
    from: originalAt(from),
    to: originalAt(to),
    agentIds: [...bearers],
  }));
};

/** Folding may change a letter's length; null if a letter is folded together with its neighbours. */
const originalPositions = (text: string, folded: string): ((at: number) => number) | null => {
  if (text.length === folded.length) return (at) => at;
  const positions: number[] = [];
  let at = 0;
  for (const letter of text.match(/\P{M}?\p{M}*/gsu)!) {
    const { length } = fold(letter);
    for (let part = 0; part < length; part++) positions.push(at);
    at += letter.length;
  }
  positions.push(at);
  return positions.length === folded.length + 1 ? (position) => positions[position]! : null;
};

const namedIn = <Id extends string>(folded: string, agents: readonly Mentionable<Id>[]) => {
  // Most texts mention nobody, and folding every name is slow.
  if (!folded.includes("@")) return [];
  const found: { readonly from: number; readonly to: number; readonly bearers: ReadonlySet<Id> }[] = [];
  const names = namesOf(agents);
  let lastEnd = -1;
  let signs = 0;
  for (let at = folded.indexOf("@"); at !== -1 && signs < maxSigns; at = folded.indexOf("@", at + 1)) {
    const isAlternative = folded[at - 1] === "/" && at - 1 === lastEnd;
    if (!isAlternative && !beginsMention(folded, at)) continue;
    signs++;
    const named = longestName(names, folded, at + 1);
    if (named === null) continue;
    lastEnd = named.end;
    found.push({ from: at, to: named.end, bearers: named.bearers });
  }
  return found;
};

/** Normalising takes quadratic time in the combining marks of one letter; no script uses more than thirty. */
const longAccents = /(\p{M}{30})\p{M}+/gu;

/**
 * Folds case, also where the other case of a letter is two letters (ß), depends on the next letter (ς) or on the
 * language (İ, ı). Also folds typographic spaces and apostrophes, and line ends within a name.
 */
const fold = (text: string): string =>
  text
    .replace(longAccents, "$1")
    .normalize("NFC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll("i\u0307", "i")
    .replaceAll("ς", "σ")
    .normalize("NFC")
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[\u00a0\u202f]|(?<=\S)\r?\n(?=\S)/g, " ");

/** A comment with more signs than this was not written for readers; each sign costs up to the length of a name. */
const maxSigns = 10_000;

/** A trie of names: the cost of a sign does not grow with the number of agents. */
interface Names<Id> {
  readonly next: Map<string, Names<Id>>;
  /** The agents whose name ends here. */
  readonly bearers: Set<Id>;
}

const noNames = <Id>(): Names<Id> => ({ next: new Map(), bearers: new Set() });

const namesOf = <Id extends string>(agents: readonly Mentionable<Id>[]): Names<Id> => {
  const root = noNames<Id>();
  for (const { id, name, urlKey } of agents)
    for (const key of new Set([fold(name), fold(urlKey)])) {
      if (key === "") continue;
      let names = root;
      for (let at = 0; at < key.length; at++) {
        const letter = key[at]!;
        const next = names.next.get(letter) ?? noNames<Id>();
        names.next.set(letter, next);
        names = next;
      }
      names.bearers.add(id);
    }
  return root;
};

const longestName = <Id>(root: Names<Id>, text: string, from: number) => {
  const ends: { readonly end: number; readonly bearers: ReadonlySet<Id> }[] = [];
  let names: Names<Id> | undefined = root;
  for (let end = from; names !== undefined; names = names.next.get(text[end++] ?? ""))
    if (names.bearers.size > 0) ends.push({ end, bearers: names.bearers });
  return ends.findLast(({ end }) => endsName(text, end)) ?? null;
};

const linkTarget = /\]\(agent:\/\/([0-9a-f-]{36})(?:\?[^)\s]{0,500})?\)/g;

/** Finds links to agents and removes them: a link's text is not a mention of its own. */
const agentLinks = (text: string) => {
  const found: { id: string; at: number }[] = [];
  let rest = "";
  let from = 0;
  for (const match of text.matchAll(linkTarget)) {
    const at = openingBracket(text, match.index, from);
    if (at === null) continue;
    const end = match.index + match[0].length;
    found.push({ id: match[1]!, at });
    rest += text.slice(from, at) + " ".repeat(end - at);
    from = end;
  }
  return { found, text: rest + text.slice(from) };
};

/** The maximum length of a link's text; without it, every bracket could scan the whole comment. */
const maxLinkText = 1000;

const openingBracket = (text: string, closing: number, from: number): number | null => {
  let depth = 1;
  for (let at = closing - 1; at >= Math.max(from, closing - maxLinkText); at--) {
    const isBracket = text[at] === "]" || text[at] === "[";
    if (!isBracket || isEscaped(text, at)) continue;
    if (text[at] === "]") depth++;
    else if (--depth === 0) return at;
  }
  return null;
};

const word = /[\p{L}\p{M}\p{N}]/u;

/** Scripts without spaces between words, or with particles attached to names: only the sign marks a mention. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** A mention begins where no word, address or path precedes the sign. A full stop ends no address. */
const beginsMention = (text: string, at: number): boolean => {
  let start = at;
  while (start > 0 && "_+-%.".includes(text[start - 1]!)) start--;
  const before = characterBefore(text, start);
  if (before === "@" || before === "/") return false;
  return !word.test(before) || unspaced.test(before) || text.slice(start, at) === ".";
};

/** A name ends where no further word follows, nor a hyphen, dot or sign that leads into one. Underscores emphasise. */
const endsName = (text: string, end: number): boolean => {
  let at = end;
  while (text[at] === "_") at++;
  const next = characterAt(text, at);
  if (word.test(next))
    return unspaced.test(next) || (at === end && unspaced.test(characterBefore(text, end)));
  return !(/[-.@]/.test(next) && word.test(characterAt(text, at + 1)));
};

/** Empty beyond either end. */
const characterAt = (text: string, at: number): string =>
  at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "";

const characterBefore = (text: string, at: number): string =>
  [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? "";
