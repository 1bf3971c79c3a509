import type { IconName } from "../widgets/icon.tsx";

/** Something that the palette does. */
export interface PaletteAction {
  readonly key: string;
  readonly label: string;
  readonly icon: IconName;
  readonly run: () => void;
  /** Its subject is found by the search, too: it is offered below that once the search has answered, so that Enter opens first. */
  readonly isOfFound?: boolean;
  /** Of what cannot be undone: where it is looked at instead, which is offered first. */
  readonly instead?: { readonly label: string; readonly to: string };
}
