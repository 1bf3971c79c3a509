import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Mentionable, mentionedAgents } from "../../core/model/issues/comments/mentions.ts";
import { withoutCode } from "../../core/model/issues/comments/without-code.ts";
import type { AgentId } from "../../core/model/shared/ids.ts";
import { aMentionable, id } from "../support/nouns.ts";
import { processorTime } from "../support/processor-time.ts";

const ada = id<AgentId>(1);
const lovelace = id<AgentId>(2);
const bob = id<AgentId>(3);
const zoe = id<AgentId>(4);
const ming = id<AgentId>(5);
const bot = id<AgentId>(6);
const max = id<AgentId>(7);
const maxime = id<AgentId>(8);
const sato = id<AgentId>(9);
const robot = id<AgentId>(10);

const everybody: readonly Mentionable[] = [
  aMentionable("Ada", ada, "ada"),
  aMentionable("Ada Lovelace", lovelace, "ada-lovelace"),
  aMentionable("Bob", bob, "bob"),
  aMentionable("Zoë", zoe, "zo"),
  aMentionable("小明", ming, ming),
  aMentionable("build_bot", bot, "build-bot"),
  aMentionable("Max", max, "max"),
  aMentionable("Maxime", maxime, "maxime"),
  aMentionable("佐藤 さくら", sato, sato),
  aMentionable("🤖 Robot (v2.0)", robot, "robot-v2-0"),
];

const names = new Map(everybody.map((agent) => [agent.id, agent.name]));
const mentioned = (body: string) => mentionedAgents(body, everybody).map((agentId) => names.get(agentId));

describe("A comment mentions", () => {
  test.each<[string, string, readonly string[]]>([
    ["nobody by saying nothing", "", []],
    ["nobody by a sign alone", "@", []],
    ["nobody by a sign and a space", "@ Ada", []],
    ["nobody by a name without a sign", "Ada, Bob", []],
    ["nobody by a name nobody bears", "@carol please", []],

    ["an agent by name, as all the text", "@Ada", ["Ada"]],
    ["an agent at the start", "@Ada look", ["Ada"]],
    ["an agent at the end", "look @Ada", ["Ada"]],
    ["an agent on a line of its own", "look\n@Ada\nhere", ["Ada"]],
    ["an agent after a tab", "look\t@Ada", ["Ada"]],
    ["whatever the case", "@aDA", ["Ada"]],
    ["several, in order of appearance", "@Bob and @Ada", ["Bob", "Ada"]],
    ["each once", "@Ada @ada @ADA", ["Ada"]],

    ["by urlKey", "@ada-lovelace", ["Ada Lovelace"]],
    ["by a urlKey that is the id, where the name has no letters for one", `@${ming}`, ["小明"]],
    ["by a name with spaces", "@Ada Lovelace please", ["Ada Lovelace"]],
    ["by the longest name", "@Ada Lovelace, not @Ada", ["Ada Lovelace", "Ada"]],
    ["not by the beginning of a longer word", "@Adam @Bobby", []],
    ["not by the beginning of another agent's name", "@Maxime", ["Maxime"]],
    ["not by the beginning of a hyphenated word", "@ada-byron", []],
    ["by a name that a space and another word follow", "@Ada Byron", ["Ada"]],
    ["by a name with a digit after it: not", "@Ada2", []],
    ["by a name with an underscore in it", "@build_bot go", ["build_bot"]],
    ["by a name with an emoji and signs in it", "@🤖 Robot (v2.0) go", ["🤖 Robot (v2.0)"]],

    ["before a comma", "@Ada, look", ["Ada"]],
    ["before a full stop", "Ask @Ada.", ["Ada"]],
    ["before a colon", "@Ada: look", ["Ada"]],
    ["before a semicolon", "@Ada; look", ["Ada"]],
    ["before a question mark", "@Ada?", ["Ada"]],
    ["before an exclamation mark", "@Ada!", ["Ada"]],
    ["before an ellipsis", "@Ada...", ["Ada"]],
    ["before a genitive", "@Ada's work", ["Ada"]],
    ["before a typographic genitive", "@Ada’s work", ["Ada"]],
    ["before a dash", "@Ada - look, @Bob—look", ["Ada", "Bob"]],
    ["in parentheses", "(@Ada)", ["Ada"]],
    ["in brackets", "[@Ada]", ["Ada"]],
    ["in quotation marks", '"@Ada" “@Bob”', ["Ada", "Bob"]],
    ["after a full stop without a space", "Done.@Ada look", ["Ada"]],
    ["after a leading full stop, as some write", ".@Ada look", ["Ada"]],
    ["after a comma without a space", "@Bob,@Ada", ["Bob", "Ada"]],
    ["after a colon", "cc:@Ada", ["Ada"]],
    ["in a list", "- @Ada\n* @Bob", ["Ada", "Bob"]],
    ["in a table", "|@Ada|@Bob|", ["Ada", "Bob"]],
    ["as one of several, with a slash between", "@Ada/@Bob please", ["Ada", "Bob"]],
    ["before an emoji, and after one", "🎉@Ada🎉 👍 @Bob", ["Ada", "Bob"]],
    ["between characters nobody sees", "\u200b@Ada\u200b \ufeff@Bob\u200f", ["Ada", "Bob"]],
    ["by an escaped sign, as it reads", "\\@Ada", ["Ada"]],
    ["by a name that a line's end divides", "@Ada\nLovelace has it", ["Ada Lovelace"]],
    ["by a name that Windows' line end divides", "@Ada\r\nLovelace has it", ["Ada Lovelace"]],
    ["by a name that a space divides which does not break", "@Ada\u00a0Lovelace", ["Ada Lovelace"]],
    ["by the shorter name over the end of a paragraph", "@Ada\n\nLovelace", ["Ada"]],
    ["by the shorter name before code", "@Ada `x` Lovelace", ["Ada"]],
    ["by the shorter name, where the longer one goes on", "@Ada Lovelacey, @Ada Lovelace-Byron", ["Ada"]],
    ["in a quotation", "> @Ada said", ["Ada"]],

    ["emphasised", "*@Ada*", ["Ada"]],
    ["emphasised strongly", "**@Ada** __@Bob__", ["Ada", "Bob"]],
    ["emphasised with underscores", "_@Ada_", ["Ada"]],
    ["emphasised on both sides of more words", "_@Ada please_ and *please @Bob*", ["Ada", "Bob"]],
    ["struck through", "~~@Ada~~", ["Ada"]],
    ["in a heading", "# @Ada", ["Ada"]],

    ["not in an e-mail address", "ada@bob.com bob@Ada me@bob", []],
    ["not in an e-mail address with signs", "a.b+c@Ada x-@Ada x_@bob", []],
    ["not as the local part of an address", "@Ada@example.com", []],
    ["not as a domain", "@bob.com", []],
    ["not in a doubled sign", "@@Ada", []],
    ["not in a path", "https://medium.com/@Ada node_modules/@bob/x", []],
    ["in the text of a link elsewhere", "[@Ada](https://example.com)", ["Ada"]],

    ["not in a code span", "`@Ada`", []],
    ["not in a code span of two backticks, with one inside", "``@Ada ` @Bob``", []],
    ["not in a code span within a code span", "``a `@Ada` b`` @Bob", ["Bob"]],
    ["not in a code span of three backticks", "```@Ada``` @Bob", ["Bob"]],
    ["not in a code span in a cell of a table", "| `@Ada` | @Bob |", ["Bob"]],
    ["between backticks of different rows of a table", "| it`s |\n| @Ada | it`s |", ["Ada"]],
    ["between backticks of different items of a list", "- it`s\n- @Ada it`s\n2. @Bob `", ["Ada", "Bob"]],
    ["between backticks of a heading and its text", "# it`s\n@Ada it`s", ["Ada"]],
    ["not in a code span over a line end", "`@Ada\n@Bob`", []],
    ["next to a code span", "`x` @Ada `y`", ["Ada"]],
    ["after a backtick that opens nothing", "it`s @Ada", ["Ada"]],
    ["between backticks of different paragraphs", "it`s\n\n@Ada\n\nit`s", ["Ada"]],
    ["between backticks of different lengths", "``x @Ada `y", ["Ada"]],
    ["between escaped backticks", "\\`@Ada\\`", ["Ada"]],
    ["not in a code span that ends in a backslash", "`@Ada\\`", []],
    ["after an escaped backtick that the next one does not close", "\\`@Ada`", ["Ada"]],
    ["after a backtick that an escaped backslash precedes: not", "\\\\`@Ada`", []],
    ["after a backtick that is escaped behind an escaped backslash", "\\\\\\`@Ada`", ["Ada"]],
    ["after two backticks of which the first is escaped: not", "\\``@Ada`", []],
    ["behind a code span that is text up to its escape", "\\` `@Ada` @Bob", ["Bob"]],
    ["not in a fenced block", "```\n@Ada\n```", []],
    ["not in a fenced block with a language", "```ts\n@Ada\n```\n@Bob", ["Bob"]],
    ["not in a fenced block of tildes", "~~~\n@Ada\n```\n@Ada\n~~~\n@Bob", ["Bob"]],
    ["not in a fenced block that holds a shorter fence", "````\n```\n@Ada\n```\n````\n@Bob", ["Bob"]],
    ["not in a fenced block that is never closed", "@Bob\n```\n@Ada", ["Bob"]],
    ["not in a fenced block of a list", "1. do\n   ```\n   @Ada\n   ```\n2. @Bob", ["Bob"]],
    ["not in a fenced block that begins on its item's line", "- ```\n  @Ada\n  ```\n- @Bob", ["Bob"]],
    ["not in a fenced block in a numbered item", "10. ```sh\n    @Ada\n    ```\n11. @Bob", ["Bob"]],
    ["after an item of a list whose fenced block is never closed", "- ```\n  @Ada\n\n@Bob", ["Bob"]],
    ["not in an indented fenced block", "   ~~~\n   @Ada\n   ~~~\n@Bob", ["Bob"]],
    ["not behind a closing fence that says more", "```\n@Ada\n``` x\n@Bob", []],
    ["after a closing fence that is longer", "```\n@Ada\n`````\n@Bob", ["Bob"]],
    [
      "not behind a fence that is indented as code of the block",
      "```\n        ```\n@Ada\n```\n@Bob",
      ["Bob"],
    ],
    ["not behind a quoted fence in a fenced block", "```\n> ```\n@Ada\n```\n@Bob", ["Bob"]],
    ["not in a fenced block of a quotation in a quotation", "> > ```\n> > @Ada\n> @Bob", ["Bob"]],
    ["not in a fenced block of tildes with backticks behind it", "~~~ `x`\n@Ada\n~~~\n@Bob", ["Bob"]],
    ["in a line that is merely indented", "- look\n\n    @Ada", ["Ada"]],
    ["not in a fenced block with Windows line ends", "```\r\n@Ada\r\n```\r\n@Bob", ["Bob"]],
    ["not in a fenced block that is quoted, and after its quotation", "> ```\n> @Ada\n\n@Bob", ["Bob"]],
    ["after a line that only looks like a fence", "```not a fence``` @Ada\n@Bob", ["Ada", "Bob"]],

    ["by a link", `[whoever](agent://${ada})`, ["Ada"]],
    ["by a link with an icon", `[whoever](agent://${ada}?i=robot)`, ["Ada"]],
    ["by a link in capitals", `[x](AGENT://${ada.toUpperCase()})`, ["Ada"]],
    ["by a link whose text has brackets", `[a [b] c](agent://${ada})`, ["Ada"]],
    ["by a link without text", `[](agent://${ada})`, ["Ada"]],
    ["only by the link, whatever its text says", `[@Bob](agent://${ada})`, ["Ada"]],
    ["once, by a link and by name", `[@Ada](agent://${ada}) @Ada`, ["Ada"]],
    ["in order, by links and names", `@Bob [x](agent://${ada}) @Zoë`, ["Bob", "Ada", "Zoë"]],
    ["nobody by a link to an agent that is not there", `[@Bob](agent://${id<AgentId>(99)})`, []],
    ["nobody by a link in code", `\`[x](agent://${ada})\``, []],
    ["nobody by a link in a fenced block", `\`\`\`\n[x](agent://${ada})\n\`\`\``, []],
    ["nobody by a link that a code span runs into", `[x\`](agent://${ada})\``, []],
    ["nobody by a link to what is no id", "[x](agent://ada) [x](agent://)", []],
    ["nobody by a link whose id is cut short", `[x](agent://${ada.slice(1)})`, []],
    ["nobody by a link whose bracket is escaped", `\\[x](agent://${ada})`, []],
    ["by a link whose text has an escaped bracket", `[a\\]b](agent://${ada})`, ["Ada"]],
    ["by a link whose text is code", `[\`x\`](agent://${ada})`, ["Ada"]],
    ["by a picture that links", `![x](agent://${ada})`, ["Ada"]],
    ["by its text's name, where a link leads to no agent's address", "[@Ada](https://x.y)", ["Ada"]],
    ["nobody by the bare address of an agent", `agent://${ada}`, []],
    ["nobody by a link without an opening bracket", `x](agent://${ada})`, []],
    ["nobody by a link that is not closed", `[x](agent://${ada}`, []],

    ["by a name with a diacritic", "@Zoë, look", ["Zoë"]],
    ["by a name with a diacritic in parts", "@Zoe\u0308", ["Zoë"]],
    ["not by a name without its diacritic", "@Zoe", []],
    ["not by a name that a combining mark makes another", "@Bob\u0332", []],
    ["by a name in capitals with a diacritic", "@ZOË", ["Zoë"]],
    ["by a Chinese name", "@小明 你好", ["小明"]],
    ["by a Chinese name in text without spaces", "请@小明看一下", ["小明"]],
    ["by a Chinese name before Chinese punctuation", "@小明，你好。", ["小明"]],
    ["by a Latin name with a Japanese particle", "@Adaさん、@Bobへ", ["Ada", "Bob"]],
    ["by a Japanese name with a space", "@佐藤 さくらさん", ["佐藤 さくら"]],
    ["not after a letter of another alphabet", "привет@Ada", []],
    ["not before a letter of another alphabet", "@Adaш", []],
  ])("%s", (_, body, expected) => {
    expect(mentioned(body)).toEqual(expected);
  });

  const elsewhere = [
    aMentionable("Straße", ada, ada),
    aMentionable("İpek", lovelace, lovelace),
    aMentionable("IRMAK", bob, bob),
    aMentionable("Σίσυφος", zoe, zoe),
    aMentionable("Ngô Đạt", ming, ming),
    aMentionable("O'Neil", bot, bot),
    aMentionable("C++ Guru", max, max),
    aMentionable("R2-D2", maxime, maxime),
    aMentionable("Dr. Who", sato, sato),
    aMentionable("ﬁona", robot, robot),
  ];
  const called = new Map(elsewhere.map((agent) => [agent.id, agent.name]));
  test.each<[string, string, readonly string[]]>([
    ["ß, whose capitals are two", "@STRASSE @straße", ["Straße"]],
    ["ß, whose capital is one", "@STRAẞE", ["Straße"]],
    ["ß, written as two", "@strasse", ["Straße"]],
    ["not half of ß", "@Stras", []],
    ["İ, as Turkish writes it small", "@ipek", ["İpek"]],
    ["İ, in two parts", "@I\u0307pek @i\u0307pek", ["İpek"]],
    ["İ, as English writes it", "@IPEK", ["İpek"]],
    ["I, as Turkish writes it small", "@ırmak", ["IRMAK"]],
    ["I, as English writes it small", "@irmak", ["IRMAK"]],
    ["ς in capitals", "@ΣΊΣΥΦΟΣ", ["Σίσυφος"]],
    ["ς in capitals, with a genitive", "@ΣΊΣΥΦΟΣ's", ["Σίσυφος"]],
    ["ς with a genitive", "@Σίσυφος’s", ["Σίσυφος"]],
    ["diacritics in parts", `@${"Ngô Đạt".normalize("NFD")}, look`, ["Ngô Đạt"]],
    ["diacritics in parts and capitals", `@${"NGÔ ĐẠT".normalize("NFD")}!`, ["Ngô Đạt"]],
    ["not a name that one more mark makes another", `@${"Ngô Đạt".normalize("NFD")}\u0301`, []],
    ["an apostrophe as editors set it", "@O’Neil’s and @O'NEIL's", ["O'Neil"]],
    ["signs", "@c++ guru: @R2-D2, @dr. who?", ["C++ Guru", "R2-D2", "Dr. Who"]],
    ["not the beginning of what goes on with a hyphen", "@R2-D2-X1", []],
    ["a ligature", "@Fiona @FIONA", ["ﬁona"]],
  ])("an agent by a name with %s", (_, body, expected) => {
    expect(mentionedAgents(body, elsewhere).map((agentId) => called.get(agentId))).toEqual(expected);
  });

  test("every agent of a name, if several have it", () => {
    const twins = [aMentionable("小明", ada, ada), aMentionable("小明", bob, bob)];
    expect(mentionedAgents("@小明", twins)).toEqual([ada, bob]);
  });

  test("no agent if the name belongs to none", () => {
    expect(mentionedAgents("@Ada [x](agent://x)", [])).toEqual([]);
  });

  const word = fc.constantFrom(
    "please",
    "look",
    "小",
    "@",
    "`",
    "```",
    "\n",
    "\n\n",
    "[",
    "](agent://",
    "_",
    ".",
    " ",
  );
  const text = fc.array(fc.oneof(word, fc.string()), { maxLength: 30 }).map((words) => words.join(""));

  test("an agent named between spaces, whatever other text surrounds it outside of code", () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom(...everybody), (before, after, agent) => {
        const [left, right] = [before, after].map((part) => part.replace(/[`~]/g, ""));
        expect(mentionedAgents(`${left} @${agent.name} ${right}`, everybody)).toContain(agent.id);
      }),
    );
  });

  test("only existing agents, each once", () => {
    fc.assert(
      fc.property(text, (body) => {
        const found = mentionedAgents(body, everybody);
        expect(new Set(found).size).toBe(found.length);
        for (const agentId of found) expect(names.has(agentId)).toBe(true);
      }),
    );
  });

  test("no agent in a code span, whatever the span holds", () => {
    fc.assert(
      fc.property(text, (body) => {
        const code = body.replace(/[`\n\r]/g, "");
        expect(mentionedAgents(`\`${code} @Ada\``, everybody)).toEqual([]);
      }),
    );
  });
});

describe("Code", () => {
  test("is blanked in place: offsets and line ends stay", () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom("`", "``", "```", "~~~", "a", " ", "\n", "> ", "\\", "🤖"))
          .map((l) => l.join("")),
        (text) => {
          const blanked = withoutCode(text);
          expect(blanked).toHaveLength(text.length);
          for (let at = 0; at < text.length; at++) expect([text[at], " "]).toContain(blanked[at]);
          expect(blanked.split("\n")).toHaveLength(text.split("\n").length);
        },
      ),
    );
  });
});

describe("A comment written to overload the service costs no more than another of its length", () => {
  const size = 512 * 1024;
  const ascending = Array.from({ length: 1000 }, (_, n) => "`".repeat(n + 1)).join(" ");
  test.each([
    ["backticks", "`"],
    ["backticks that never pair", `${ascending} `],
    ["opening brackets", "["],
    ["opening brackets with text", "[a"],
    ["closing brackets of links", `](agent://${id<AgentId>(99)})`],
    ["open ends of links", `](agent://${id<AgentId>(99)}?`],
    ["signs", "@"],
    ["signs and spaces", "@ "],
    ["first letters of names", " @a"],
    ["names", " @Ada"],
    ["hyphens and signs", "-@"],
    ["underscores", "@Ada____"],
    ["blank lines", "\n \n"],
    ["blanks", " "],
    ["quoted fences", "> ```\n"],
    ["quotation marks", ">"],
    ["marks of lists", "- "],
    ["numbers of lists", "1. "],
    ["fences in items", "- ```\n"],
    ["headings", "# `\n"],
    ["rows of tables", "|`\n"],
    ["lines", "a\n"],
    ["Windows' line ends", "\r\n"],
    ["backslashes", "\\"],
    ["escaped backticks", "\\`"],
    ["escaped brackets", `\\[\\](agent://${id<AgentId>(99)})`],
    ["slashes and signs", "/@Ada"],
    ["letters of two capitals", "ß"],
    ["combining marks", "\u0307"],
    ["tildes", "~~~ "],
  ])("%s", (_, unit) => {
    const many = Array.from({ length: 500 }, (_, n) =>
      aMentionable(`a${"x".repeat(n % 50)}${n}`, id<AgentId>(1000 + n)),
    );
    const body = unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
    const took = processorTime();
    mentionedAgents(body, [...everybody, ...many]);
    expect(took()).toBeLessThan(2_000);
  });

  test("not even if the names were chosen for it, too", () => {
    const many = Array.from({ length: 250 }, (_, n) =>
      aMentionable(`${"@a ".repeat(n).slice(0, 490)}z${n}`, id<AgentId>(1000 + n), `z-${n}`),
    );
    const took = processorTime();
    expect(mentionedAgents(`@ada ${" @a".repeat(170_000)}`, [...everybody, ...many])).toEqual([ada]);
    expect(took()).toBeLessThan(2_000);
  });
});
