import type { IconName } from "../parts/icon.tsx";

/** Something that the palette does. */
export interface PaletteAction {
  readonly key: string;
  readonly label: string;
  readonly icon: IconName;
  readonly run: () => void;
  /** Of what cannot be undone: where it is looked at instead, which is offered first. */
  readonly instead?: { readonly label: string; readonly to: string };
}
