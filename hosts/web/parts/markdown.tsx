import type { Token, Tokens } from "marked";
import { Fragment, memo, type ReactNode } from "react";
import { Link } from "wouter";
import { markdownTokens } from "./markdown-tokens.ts";
import { safeLink } from "./safe-link.ts";

interface MarkdownProps {
  readonly text: string;
  /** Where an issue's identifier leads, such as `/ACM/issues/ACM-12`; without it identifiers are plain text. */
  readonly issuePath?: ((identifier: string) => string) | undefined;
  /** A text among many: its headings are strong lines, and no headings of the page. */
  readonly isPart?: boolean;
}

/**
 * Text of people and agents, laid out from marked's tokens to elements. HTML in it is shown as the text it is, images
 * from elsewhere are links, and links lead to http and https alone: there is nothing to sanitise.
 */
export const Markdown = memo(({ text, issuePath, isPart = false }: MarkdownProps) => {
  const tokens = markdownTokens(text);
  return <div className="markdown">{blocks(isPart ? tokens.map(withoutHeading) : tokens, issuePath)}</div>;
});
Markdown.displayName = "Markdown";

const withoutHeading = (token: Token): Token =>
  token.type === "heading"
    ? { type: "paragraph", raw: token.raw, text: token.raw, tokens: [{ ...token, type: "strong" } as Token] }
    : token;

type IssuePath = MarkdownProps["issuePath"];

const blocks = (tokens: readonly Token[], path: IssuePath): ReactNode =>
  tokens.map((token, at) => <Fragment key={at}>{block(token, path)}</Fragment>);

const block = (token: Token, path: IssuePath): ReactNode => {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const level = Math.min(6, (token as Tokens.Heading).depth + 2);
      const Heading = `h${level}` as "h3";
      return <Heading>{inline((token as Tokens.Heading).tokens, path)}</Heading>;
    }
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens, path)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? text : inline(tokens, path);
    }
    case "code": {
      const { text } = token as Tokens.Code;
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      );
    }
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, path)}</blockquote>;
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const entries = items.map((item, at) => (
        <li key={at} className={item.task ? "task" : undefined}>
          {item.task ? (
            <input type="checkbox" checked={item.checked ?? false} disabled aria-label="Task" />
          ) : null}
          {blocks(
            item.tokens.filter(({ type }) => type !== "checkbox"),
            path,
          )}
        </li>
      ));
      return ordered ? <ol start={Number(start) || 1}>{entries}</ol> : <ul>{entries}</ul>;
    }
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return (
        <div className="markdown-table">
          <table>
            <thead>
              <tr>
                {header.map((cell, at) => (
                  <th key={at}>{inline(cell.tokens, path)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, line) => (
                <tr key={line}>
                  {row.map((cell, at) => (
                    <td key={at}>{inline(cell.tokens, path)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    case "hr":
      return <hr />;
    default:
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens, path) : token.raw;
  }
};

const inline = (tokens: readonly Token[], path: IssuePath): ReactNode =>
  tokens.map((token, at) => <Fragment key={at}>{span(token, path)}</Fragment>);

const span = (token: Token, path: IssuePath): ReactNode => {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens, path)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens, path)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens, path)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "escape":
      return (token as Tokens.Escape).text;
    case "link": {
      const { href, tokens: inner } = token as Tokens.Link;
      return outward(href, inline(inner, path));
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      return outward(href, text || href);
    }
    case "text": {
      const { tokens: inner, text } = token as Tokens.Text;
      return inner === undefined ? withReferences(decoded(text), path) : inline(inner, path);
    }
    default:
      return token.raw;
  }
};

/** A link elsewhere; one that leads to no page is shown as what it says. */
const outward = (href: string, shown: ReactNode): ReactNode => {
  if (href.startsWith("agent://")) return <span className="mention">{shown}</span>;
  const address = safeLink(href);
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

/** Identifiers of issues as links, and mentions marked. */
const withReferences = (text: string, path: IssuePath): ReactNode =>
  text.split(/(\b[A-Z][A-Z0-9]{1,9}-\d+\b|(?<![\w@])@[\w-]+)/).map((part, at) => {
    const key = at;
    if (at % 2 === 0) return part;
    if (part.startsWith("@"))
      return (
        <span key={key} className="mention">
          {part}
        </span>
      );
    return path === undefined ? (
      part
    ) : (
      <Link key={key} href={path(part)} className="reference">
        {part}
      </Link>
    );
  });
