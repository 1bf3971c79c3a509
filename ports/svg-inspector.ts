/** Returns what makes an SVG unsafe for browsers, in words for its sender; null where it is safe. */
export type SvgInspector = (text: string) => string | null;
