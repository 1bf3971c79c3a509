import { type IconName, iconPaths } from "./icon-paths.ts";

export type { IconName } from "./icon-paths.ts";

/** An icon next to a word, which says what it means. */
export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={iconPaths[name]} />
  </svg>
);
