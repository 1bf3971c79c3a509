import type { AgentId } from "../../shared/ids.ts";

/** What a mention may name. */
export interface Mentionable {
  readonly id: AgentId;
  readonly name: string;
  readonly urlKey: string;
}

/** Fenced blocks, code spans and the like hold no mentions; their text is blanked, so that what follows keeps its place. */
const withoutCode = (body: string): string =>
  body
    .replace(/^( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|$(?![\s\S]))/gm, blank)
    .replace(/(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, blank);

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

const link = /\[(?:[^\][]|\[[^\]]*\])*\]\(agent:\/\/([0-9a-fA-F-]{36})(?:\?[^)\s]*)?\)/g;

const wordCharacter = /[\p{L}\p{N}_]/u;

/** A mention begins where no word, no address and no path runs into the sign. */
const beginsMention = (before: string): boolean => before === "" || !/[\p{L}\p{N}_.@/+\-%]/u.test(before);

const fold = (text: string): string => text.normalize("NFC").toLowerCase();

/**
 * The agents a comment mentions, each once, in order of appearance: `@name`, `@urlKey` or `[text](agent://<id>)`. Case
 * does not matter, the longest name wins, names with spaces work; code and e-mail addresses hold no mentions.
 */
export const mentionedAgents = (body: string, agents: readonly Mentionable[]): readonly AgentId[] => {
  const found = new Map<AgentId, number>();
  const note = (id: AgentId, at: number) => {
    if (!found.has(id)) found.set(id, at);
  };
  const text = fold(withoutCode(body));
  const byId = new Map(agents.map((agent) => [agent.id.toLowerCase(), agent.id]));
  for (const match of text.matchAll(link)) {
    const id = byId.get(match[1]!.toLowerCase());
    if (id !== undefined) note(id, match.index);
  }
  const names = agents
    .flatMap((agent) => [
      { id: agent.id, name: fold(agent.name) },
      { id: agent.id, name: fold(agent.urlKey) },
    ])
    .filter(({ name }) => name !== "")
    .sort((a, b) => b.name.length - a.name.length);
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    if (!beginsMention(lastCharacter(text.slice(0, at)))) continue;
    const match = names.find(
      ({ name }) => text.startsWith(name, at + 1) && endsName(text, at + 1 + name.length),
    );
    if (match !== undefined) note(match.id, at);
  }
  return [...found].sort(([, a], [, b]) => a - b).map(([id]) => id);
};

const lastCharacter = (text: string): string => [...text.slice(-2)].at(-1) ?? "";

/** A name ends where no further word character follows, nor a hyphen, dot or sign that leads into one. */
const endsName = (text: string, end: number): boolean => {
  const next = [...text.slice(end, end + 2)][0] ?? "";
  if (next === "") return true;
  if (wordCharacter.test(next)) return false;
  const after = [...text.slice(end + next.length, end + next.length + 2)][0] ?? "";
  return !(/[-.@]/.test(next) && wordCharacter.test(after));
};
