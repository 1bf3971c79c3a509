/** What in an SVG is not allowed in one that browsers show, in words for its sender; null where nothing is. */
export type SvgInspector = (text: string) => string | null;
