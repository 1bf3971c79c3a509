import type { IconName } from "../parts/icon.tsx";

/** Something that the palette does. */
export interface PaletteAction {
  readonly key: string;
  readonly label: string;
  readonly icon: IconName;
  readonly run: () => void;
}
