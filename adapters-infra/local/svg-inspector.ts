import { SaxesParser } from "saxes";
import type { SvgInspector } from "../../ports/svg-inspector.ts";

const svgNamespace = "http://www.w3.org/2000/svg";

const elements = new Set(
  `svg g defs title desc metadata symbol use switch view path rect circle ellipse line polyline polygon text tspan
  textPath linearGradient radialGradient stop pattern clipPath mask marker filter feBlend feColorMatrix
  feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
  feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight
  feSpecularLighting feSpotLight feTile feTurbulence style a
  flowRoot flowRegion flowDiv flowPara flowSpan solidColor solidcolor hatch hatchpath mesh meshgradient meshrow meshpatch
  font font-face font-face-src font-face-name glyph missing-glyph hkern vkern image feImage`.split(/\s+/),
);

/** The elements whose reference is a picture, which drawing programs embed. */
const pictures = new Set(["image", "feImage"]);

/** A picture in the drawing itself, of a kind without parts or references. Another SVG could have both. */
const embeddedPicture = /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=\s]*$/i;

/** The same, and fonts, in CSS. */
const embeddedInStyle =
  /url\(\s*(["']?)data:(?:image\/(?:png|jpe?g|gif|webp)|(?:font|application)\/(?:x-)?(?:font-)?(?:woff2?|ttf|otf|sfnt|truetype|opentype))(?:;charset=utf-8)?;base64,[A-Za-z0-9+/=\s]*\1\)/gi;

/** Elements that are active anywhere; matched by name in every namespace. */
const active = /^(?:script|foreignobject|handler|listener)$/i;

/** Namespaces with active elements; others hold metadata of drawing programs. */
const activeNamespaces = new Set([
  "http://www.w3.org/1999/xhtml",
  "http://www.w3.org/1998/Math/MathML",
  "http://www.w3.org/1999/XSL/Transform",
  "http://www.w3.org/2001/XInclude",
  "http://www.w3.org/2001/xml-events",
  "http://www.w3.org/2002/xforms",
  "http://www.w3.org/ns/xbl",
  "http://www.mozilla.org/xbl",
  "http://www.mozilla.org/keymaster/gatekeeper/there.is.only.xul",
]);

const xmlNamespace = "http://www.w3.org/XML/1998/namespace";

/** A document type that names the W3C's description of SVG, or none, and declares nothing itself. */
const plainDoctype =
  /^\s*svg(?:\s+PUBLIC\s+(?:"[^"]*"|'[^']*')\s+(?:"https?:\/\/www\.w3\.org\/[^"]*"|'https?:\/\/www\.w3\.org\/[^']*'))?\s*$/;

/** Where every character is of ASCII, these encodings say the same as UTF-8. */
const asciiEncodings = /^(?:us-ascii|iso-8859-1|windows-1252)$/i;
const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

const maxElements = 50_000;
/** Limit of nesting: the parser searches namespaces in every enclosing element. */
const maxDepth = 100;
const maxAttributes = 200;

/** A problem; thrown, so that the parser stops. */
class Problem extends Error {}

/** Parses strictly, against a list of allowed elements and attributes: reports everything else. */
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
  /** The text of the style element so far, all its parts together; null outside of one. */
  let style: string | null = null;
  const reject = (found: string) => {
    throw new Problem(found);
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => reject(`it is not well-formed XML (${error.message.slice(0, 120)})`));
  parser.on("xmldecl", ({ encoding }) => {
    // Read as another encoding, the same bytes could say something else.
    if (encoding === undefined || /^utf-8$/i.test(encoding)) return;
    if (!asciiEncodings.test(encoding) || !isAscii(text)) reject(`the encoding ${encoding}`);
  });
  parser.on("doctype", (doctype) => {
    if (/<!ENTITY/i.test(doctype)) reject("entities in its document type");
    if (doctype.includes("[")) reject("declarations in its document type");
    if (!plainDoctype.test(doctype)) reject("a document type that is not SVG's");
  });
  parser.on("processinginstruction", ({ target }) => {
    // Frames of the metadata that Adobe's programs write.
    if (target !== "xpacket") reject(`a processing instruction (${target})`);
  });
  parser.on("opentag", ({ local, uri, attributes }) => {
    count++;
    if (depth++ === 0 && (local !== "svg" || uri !== svgNamespace)) reject("its root is not an svg element");
    if (count > maxElements) reject(`more than ${maxElements} elements`);
    if (depth > maxDepth) reject(`elements nested deeper than ${maxDepth} levels`);
    attributeCount = 0;
    const isSvg = uri === svgNamespace;
    if (isSvg ? !elements.has(local) : active.test(local) || activeNamespaces.has(uri))
      reject(`the element ${local}`);
    if (style !== null) reject("an element within a style");
    if (isSvg && local === "style") style = "";
    for (const { local: name, uri: namespace, value } of Object.values(attributes)) {
      const isPicture = isSvg && pictures.has(local);
      const found = attributeProblem(name, namespace, value, { isSvg, isPicture });
      if (found !== null) reject(found);
    }
  });
  parser.on("attribute", () => {
    if (++attributeCount > maxAttributes) reject(`more than ${maxAttributes} attributes of one element`);
  });
  parser.on("closetag", () => {
    depth--;
    if (style !== null && styleIsUnsafe(style)) reject("a style that refers to the outside");
    style = null;
  });
  const addStyle = (content: string) => {
    if (style !== null) style += content;
  };
  parser.on("text", addStyle);
  parser.on("cdata", addStyle);
  parser.write(text).close();
  if (count === 0) reject("it holds no svg element");
};

const attributeProblem = (
  name: string,
  namespace: string,
  value: string,
  of: { readonly isSvg: boolean; readonly isPicture: boolean },
): string | null => {
  const lower = name.toLowerCase();
  if (lower.startsWith("on")) return `the event handler ${name}`;
  if (lower === "ping") return `a reference to the outside (${name})`;
  if (lower === "href" || lower === "src")
    return value.trim().startsWith("#") || (of.isPicture && embeddedPicture.test(value.trim()))
      ? null
      : value.trim().startsWith("data:")
        ? `embedded data that is not a PNG, JPEG, GIF or WebP picture (${name})`
        : `a reference to the outside (${name})`;
  if (lower === "base" && namespace === xmlNamespace) return "a base for references";
  if (activeNamespaces.has(namespace)) return `the attribute ${name} of ${namespace}`;
  // Elements of another namespace and their attributes draw nothing; neither do words about an element.
  const draws =
    of.isSvg &&
    (namespace === "" || namespace === svgNamespace) &&
    !/^(?:xmlns$|id$|aria-|data-)/.test(lower);
  return draws && styleIsUnsafe(value) ? `a reference to the outside (${name})` : null;
};

/**
 * CSS that loads something: any `url()` but a fragment or embedded data, other functions with addresses, any escape that could
 * hide one.
 */
const styleIsUnsafe = (css: string): boolean => {
  const rest = css.replace(embeddedInStyle, "url(#)");
  return (
    /url\s*\((?!\s*(?:["']\s*)?#)/i.test(rest) ||
    /@(?:import|namespace|charset)/i.test(rest) ||
    /image-set|\b(?:image|src)\(|expression\s*\(|javascript:|\\/i.test(rest)
  );
};
