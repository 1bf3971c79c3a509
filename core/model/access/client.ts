/** Where a request comes from, as its host sees it; null: unknown. */
export interface Client {
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A caller in the same process. */
export const noClient: Client = { address: null, userAgent: null };

/** Most specific first: Edge also calls itself Chrome, and Chrome Safari. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrom(?:e|ium)\/|\bCriOS\/|\bHeadlessChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^node\b|\bundici\b/i, "Node.js"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const firstIn = (names: readonly (readonly [RegExp, string])[], text: string): string | null =>
  names.find(([pattern]) => pattern.test(text))?.[1] ?? null;

/** "Firefox on Linux"; null where the client does not say. Made of fixed names: no text of the client's is stored. */
export const deviceOf = ({ userAgent }: Client): string | null => {
  if (userAgent === null) return null;
  const browser = firstIn(browsers, userAgent);
  const system = firstIn(systems, userAgent);
  if (browser === null || system === null) return browser ?? system;
  return `${browser} on ${system}`;
};
