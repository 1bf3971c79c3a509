import Anser from "anser";
import { memo } from "react";

/** Begins a sequence of a terminal. */
const begin = "\u001b";
const kinds = { bold: "bold", dim: "dim", italic: "italic", underline: "underline", strikethrough: "struck" };

/** Colours that have a name; another one is the colour of the text, which stays readable in both themes. */
const named = /^ansi-(?:bright-)?(red|green|yellow|blue|magenta|cyan)$/;

const classOf = ({ fg, decorations }: ReturnType<typeof Anser.ansiToJson>[number]): string =>
  [
    ...(named.exec(fg ?? "") ? [`terminal-${named.exec(fg)![1]}`] : []),
    ...decorations.flatMap((decoration) =>
      decoration in kinds ? [`terminal-${kinds[decoration as keyof typeof kinds]}`] : [],
    ),
  ].join(" ");

/** Output of a program with its colours as elements; sequences that move a terminal's cursor are left out. */
export const TerminalText = memo(({ text }: { readonly text: string }) => {
  if (!text.includes(begin)) return text;
  return Anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true }).map((part, at) => {
    const key = at;
    const className = classOf(part);
    return className === "" ? (
      part.content
    ) : (
      <span key={key} className={className}>
        {part.content}
      </span>
    );
  });
});
TerminalText.displayName = "TerminalText";
