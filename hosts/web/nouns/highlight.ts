import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

// Loaded by itself, when the first code in a known language is shown.
const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});

/** A part of code: text, or parts that have a class. */
export type CodePart = string | { readonly className: string; readonly parts: readonly CodePart[] };

type Nodes = ReturnType<typeof lowlight.highlight>["children"];

const partsOf = (nodes: Nodes): readonly CodePart[] =>
  nodes.flatMap((node): readonly CodePart[] => {
    if (node.type === "text") return [node.value];
    if (node.type !== "element") return [];
    return [
      {
        className: (node.properties.className as string[]).join(" "),
        parts: partsOf(node.children as Nodes),
      },
    ];
  });

/** Reads code; null where the language is unknown. */
export const highlight = (code: string, language: string): readonly CodePart[] | null =>
  lowlight.registered(language) ? partsOf(lowlight.highlight(language, code).children) : null;
