import type { Token, Tokens } from "marked";
import { Fragment, memo, type ReactNode } from "react";
import { Link } from "wouter";
import { pictureTypes } from "../../../core/model/assets/picture-types.ts";
import { type Mentionable, namesMentioned } from "../../../core/model/issues/comments/mentions.ts";
import { baseUrl } from "../live/client.ts";
import { safeLink } from "../widgets/safe-link.ts";
import { CodeBlock } from "./code-block.tsx";
import { markdownTokens } from "./markdown-tokens.ts";

/** A file that a text may refer to by `openPath`. */
export interface ReferredFile {
  readonly openPath: string;
  readonly contentType: string;
}

export interface References {
  /** Where an issue's identifier leads, such as `/ACM/issues/ACM-12`; without it identifiers are plain text. */
  readonly issuePath?: ((identifier: string) => string) | undefined;
  /** The agents that the text mentions, and so wakes; without them nothing is a mention. */
  readonly mentions?: Mentions | undefined;
  /** The files of the issue that the text belongs to: pictures among them are shown. */
  readonly files?: readonly ReferredFile[] | undefined;
}

export interface Mentions {
  readonly agents: readonly Mentionable<string>[];
  readonly pathOf: (agentId: string) => string;
}

/**
 * A quotation and a list go in the direction of the text in them, and browsers leave out what has a `dir` of its own:
 * paragraphs in them have none, and in a quotation nothing has.
 */
interface MarkdownContext extends References {
  readonly isIn: "list" | "quotation" | null;
}

const dirOfText = ({ isIn }: MarkdownContext) => (isIn === null ? "auto" : undefined);
const dirOfBlock = ({ isIn }: MarkdownContext) => (isIn === "quotation" ? undefined : "auto");

interface MarkdownProps extends References {
  readonly text: string;
  /** A text among many: its headings are strong lines, and no headings of the page. */
  readonly isPart?: boolean;
}

/**
 * Text of people and agents, laid out from marked's tokens to elements. HTML in it is shown as the text it is, images
 * from elsewhere are links, and links lead to http and https alone: there is nothing to sanitise.
 */
export const Markdown = memo(({ text, isPart = false, ...references }: MarkdownProps) => {
  const tokens = markdownTokens(text);
  return (
    <div className="markdown">
      {blocks(isPart ? tokens.map(withoutHeading) : tokens, { ...references, isIn: null })}
    </div>
  );
});
Markdown.displayName = "Markdown";

const alignOf = ({ align }: Tokens.TableCell): string | undefined =>
  align === null ? undefined : `align-${align}`;

const withoutHeading = (token: Token): Token =>
  token.type === "heading"
    ? { type: "paragraph", raw: token.raw, text: token.raw, tokens: [{ ...token, type: "strong" } as Token] }
    : token;

const blocks = (tokens: readonly Token[], to: MarkdownContext): ReactNode =>
  tokens.map((token, at) => <Fragment key={at}>{block(token, to)}</Fragment>);

const block = (token: Token, to: MarkdownContext): ReactNode => {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const level = Math.min(6, (token as Tokens.Heading).depth + 2);
      const Heading = `h${level}` as "h3";
      return <Heading dir={dirOfText(to)}>{inline((token as Tokens.Heading).tokens, to)}</Heading>;
    }
    case "paragraph":
      return <p dir={dirOfText(to)}>{inline((token as Tokens.Paragraph).tokens, to)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? text : inline(tokens, to);
    }
    case "code": {
      const { text, lang = "" } = token as Tokens.Code;
      return <CodeBlock text={text} language={lang.split(/\s/)[0]!.toLowerCase()} />;
    }
    case "blockquote":
      return (
        <blockquote dir={dirOfBlock(to)}>
          {blocks((token as Tokens.Blockquote).tokens, { ...to, isIn: "quotation" })}
        </blockquote>
      );
    case "list":
      return list(token as Tokens.List, to);
    case "table":
      return table(token as Tokens.Table, to);
    case "hr":
      return <hr />;
    default:
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens, to) : token.raw;
  }
};

const list = ({ ordered, start, items }: Tokens.List, to: MarkdownContext): ReactNode => {
  const entries = items.map((item, at) => (
    <li key={at} className={item.task ? "task" : undefined}>
      {item.task ? (
        <input type="checkbox" checked={item.checked ?? false} disabled aria-label="Task" />
      ) : null}
      {blocks(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        { ...to, isIn: to.isIn ?? "list" },
      )}
    </li>
  ));
  return ordered ? (
    <ol dir={dirOfBlock(to)} start={Number(start) || 1}>
      {entries}
    </ol>
  ) : (
    <ul dir={dirOfBlock(to)}>{entries}</ul>
  );
};

const table = ({ header, rows }: Tokens.Table, to: MarkdownContext): ReactNode => {
  return (
    <div className="markdown-table">
      <table dir={dirOfBlock(to)}>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} className={alignOf(cell)}>
                {inline(cell.tokens, to)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, at) => (
                <td key={at} className={alignOf(cell)}>
                  {inline(cell.tokens, to)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const inline = (tokens: readonly Token[], to: References): ReactNode =>
  tokens.map((token, at) => <Fragment key={at}>{span(token, to)}</Fragment>);

const span = (token: Token, to: References): ReactNode => {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens, to)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens, to)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens, to)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "escape":
      return (token as Tokens.Escape).text;
    case "link": {
      const { href, tokens: inner } = token as Tokens.Link;
      return outward(href, inline(inner, to), to);
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      const file = to.files?.find(({ openPath }) => openPath === href);
      if (file === undefined || !isPicture(file)) return outward(href, text || href, to);
      return (
        <a href={`${baseUrl}${file.openPath}`} target="_blank" rel="noopener noreferrer">
          <img src={`${baseUrl}${file.openPath}`} alt={text} loading="lazy" />
        </a>
      );
    }
    case "text": {
      const { tokens: inner, text } = token as Tokens.Text;
      return inner === undefined ? withReferences(decoded(text), to) : inline(inner, to);
    }
    default:
      return token.raw;
  }
};

const isPicture = ({ contentType }: ReferredFile): boolean =>
  (pictureTypes as readonly string[]).includes(contentType);

/** A link elsewhere; one that leads to no page is shown as what it says. */
const outward = (href: string, shown: ReactNode, { mentions, files }: References): ReactNode => {
  if (href.startsWith("agent://")) {
    const id = href.slice("agent://".length).split("?")[0]!.toLowerCase();
    const isKnown = mentions?.agents.some((agent) => agent.id === id) === true;
    return isKnown ? (
      <Link href={mentions.pathOf(id)} className="mention">
        {shown}
      </Link>
    ) : (
      shown
    );
  }
  const isFile = files?.some(({ openPath }) => openPath === href) === true;
  const address = isFile ? `${baseUrl}${href}` : safeLink(href);
  if (address === null) return shown;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {shown}
    </a>
  );
};

/** The entities that people write; marked leaves them to the browser, which elements do not ask. */
const decoded = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** Identifiers of issues and mentioned agents as links. */
const withReferences = (text: string, { issuePath, mentions }: References): ReactNode => {
  if (mentions === undefined) return withIssues(text, issuePath);
  const shown: ReactNode[] = [];
  let after = 0;
  for (const { from, to, agentIds } of namesMentioned(text, mentions.agents)) {
    const name = text.slice(from, to);
    const [id] = agentIds;
    shown.push(
      <Fragment key={after}>{withIssues(text.slice(after, from), issuePath)}</Fragment>,
      // Several agents have the name.
      agentIds.length > 1 ? (
        <span key={from} className="mention">
          {name}
        </span>
      ) : (
        <Link key={from} href={mentions.pathOf(id!)} className="mention">
          {name}
        </Link>
      ),
    );
    after = to;
  }
  return [...shown, <Fragment key="rest">{withIssues(text.slice(after), issuePath)}</Fragment>];
};

const withIssues = (text: string, path: References["issuePath"]): ReactNode =>
  path === undefined
    ? text
    : text.split(/(\b[A-Z][A-Z0-9]{1,9}-\d+\b)/).map((part, at) => {
        const key = at;
        return at % 2 === 0 ? (
          part
        ) : (
          <Link key={key} href={path(part)} className="reference">
            {part}
          </Link>
        );
      });
