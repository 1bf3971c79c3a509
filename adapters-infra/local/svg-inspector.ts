import { SaxesParser } from "saxes";
import type { SvgInspector } from "../../ports/svg-inspector.ts";

const svgNamespace = "http://www.w3.org/2000/svg";

const elements = new Set(
  `svg g defs title desc metadata symbol use switch view path rect circle ellipse line polyline polygon text tspan
  textPath linearGradient radialGradient stop pattern clipPath mask marker filter feBlend feColorMatrix
  feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
  feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight
  feSpecularLighting feSpotLight feTile feTurbulence style a`.split(/\s+/),
);

/** Prefixes of other namespaces whose attributes drawing programs leave behind and browsers ignore. */
const harmlessNamespaces = new Set([
  "http://www.w3.org/XML/1998/namespace",
  "http://www.w3.org/2000/xmlns/",
  "http://www.inkscape.org/namespaces/inkscape",
  "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
]);
const xlinkNamespace = "http://www.w3.org/1999/xlink";

const maxElements = 50_000;
/** The parser looks for namespaces in every element around an element. */
const maxDepth = 100;
const maxAttributes = 200;

/** What is wrong; thrown, so that the rest of the text is nobody's work. */
class Problem extends Error {}

/** Parses strictly, against a list of what pictures are made of: what is not known to be harmless is named. */
export const svgProblem: SvgInspector = (text) => {
  try {
    inspect(text);
    return null;
  } catch (problem) {
    return problem instanceof Problem ? problem.message : "it is not well-formed XML";
  }
};

const inspect = (text: string): void => {
  let count = 0;
  let depth = 0;
  let attributeCount = 0;
  /** What the style element has said so far, all its parts together; null outside of one. */
  let style: string | null = null;
  const note = (found: string) => {
    throw new Problem(found);
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => note(`it is not well-formed XML (${error.message.slice(0, 120)})`));
  parser.on("xmldecl", ({ encoding }) => {
    // Read as another encoding, the same bytes could say something else.
    if (encoding !== undefined && !/^utf-8$/i.test(encoding)) note(`the encoding ${encoding}`);
  });
  parser.on("doctype", () => note("a document type declaration"));
  parser.on("processinginstruction", ({ target }) => note(`a processing instruction (${target})`));
  parser.on("opentag", ({ local, uri, attributes }) => {
    count++;
    if (depth++ === 0 && (local !== "svg" || uri !== svgNamespace)) note("its root is not an svg element");
    if (count > maxElements) note(`more than ${maxElements} elements`);
    if (depth > maxDepth) note(`elements nested deeper than ${maxDepth} levels`);
    attributeCount = 0;
    if (uri !== svgNamespace || !elements.has(local)) note(`the element ${local}`);
    if (style !== null) note("an element within a style");
    if (local === "style") style = "";
    for (const { local: name, uri: namespace, value } of Object.values(attributes)) {
      const found = attributeProblem(name, namespace, value);
      if (found !== null) note(found);
    }
  });
  parser.on("attribute", () => {
    if (++attributeCount > maxAttributes) note(`more than ${maxAttributes} attributes of one element`);
  });
  parser.on("closetag", () => {
    depth--;
    if (style !== null && styleIsUnsafe(style)) note("a style that refers to the outside");
    style = null;
  });
  const words = (content: string) => {
    if (style !== null) style += content;
  };
  parser.on("text", words);
  parser.on("cdata", words);
  parser.write(text).close();
  if (count === 0) note("it holds no svg element");
};

const attributeProblem = (name: string, namespace: string, value: string): string | null => {
  const lower = name.toLowerCase();
  if (lower.startsWith("on")) return `the event handler ${name}`;
  if (lower === "ping") return `a reference to the outside (${name})`;
  if (lower === "href" || lower === "src" || namespace === xlinkNamespace)
    return (lower === "href" || lower === "src") && !value.trim().startsWith("#")
      ? `a reference to the outside (${name})`
      : null;
  if (namespace !== "" && namespace !== svgNamespace && !harmlessNamespaces.has(namespace))
    return `the attribute ${name} of a foreign namespace`;
  if (lower === "base" && namespace !== "") return "a base for references";
  return lower !== "xmlns" && namespace !== "http://www.w3.org/2000/xmlns/" && styleIsUnsafe(value)
    ? `a reference to the outside (${name})`
    : null;
};

/** CSS that loads something: any `url()` but one of a fragment, what else takes addresses, any escape that could hide one. */
const styleIsUnsafe = (css: string): boolean =>
  /url\s*\((?!\s*(?:["']\s*)?#)/i.test(css) ||
  /@(?:import|font-face|namespace|charset)/i.test(css) ||
  /image-set|\b(?:image|src)\(|expression\s*\(|javascript:|\\/i.test(css);
