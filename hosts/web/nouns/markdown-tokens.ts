import { Lexer, type Token } from "marked";

/** Longer ones are text as it is: to find emphasis, marked reads on to the end from each sign that may begin it. */
const maxParagraph = 4_000;
/** Blanks of a longer row are left out: marked reads each row once from every place in it. */
const maxBlanks = 200;
const blanks = new RegExp(`([^\\S\\n]{${maxBlanks}})[^\\S\\n]+`, "g");

class BoundedLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (text.length <= maxParagraph) return super.inlineTokens(text, tokens);
    tokens.push({ type: "text", raw: text, text, escaped: false });
    return tokens;
  }
}

/** Reads a text as GitHub does, in time that grows with its length alone. */
export const markdownTokens = (text: string): readonly Token[] =>
  new BoundedLexer({ gfm: true, breaks: true }).lex(text.replace(blanks, "$1"));
