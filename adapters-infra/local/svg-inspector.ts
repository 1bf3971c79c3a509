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

/** Parses strictly, against a list of what pictures are made of: what is not known to be harmless is named. */
export const svgProblem: SvgInspector = (text) => {
  let problem: string | null = null;
  let count = 0;
  let depth = 0;
  let inStyle = false;
  const note = (found: string) => {
    problem ??= found;
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
    if (uri !== svgNamespace || !elements.has(local)) note(`the element ${local}`);
    inStyle = local === "style";
    for (const { local: name, uri: namespace, value } of Object.values(attributes)) {
      const found = attributeProblem(name, namespace, value);
      if (found !== null) note(found);
    }
  });
  parser.on("closetag", () => {
    depth--;
    inStyle = false;
  });
  const words = (content: string) => {
    if (inStyle && styleIsUnsafe(content)) note("a style that refers to the outside");
  };
  parser.on("text", words);
  parser.on("cdata", words);
  try {
    parser.write(text).close();
  } catch {
    note("it is not well-formed XML");
  }
  if (count === 0) note("it holds no svg element");
  return problem;
};

const attributeProblem = (name: string, namespace: string, value: string): string | null => {
  const lower = name.toLowerCase();
  if (lower.startsWith("on")) return `the event handler ${name}`;
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

/** CSS that loads something: any `url()` but one of a fragment, any `@` rule, any escape that could hide one. */
const styleIsUnsafe = (css: string): boolean =>
  /url\s*\(\s*(?!["']?\s*#)/i.test(css) ||
  /@(?:import|font-face|namespace|charset)/i.test(css) ||
  /image-set|expression\s*\(|javascript:|\\/i.test(css);
