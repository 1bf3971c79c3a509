import type { ComponentProps } from "react";
import { KeyedButton } from "./keyed-button.tsx";

/** An action as a record offers it to its reader. */
export interface Offered {
  readonly allowed: boolean;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
}

/** Whether nothing that happens to the record would allow the action: the reader lacks the role. */
export const lacksRole = ({ allowed, code }: Offered): boolean => !allowed && code === "forbidden";

type Props = ComponentProps<typeof KeyedButton> & { readonly may: Offered };

/** The button of an action: absent without the role; without effect, and with the reason, while the service refuses. */
export const ActionButton = ({ may, ...button }: Props) => {
  if (lacksRole(may)) return null;
  return may.allowed ? (
    <KeyedButton {...button} />
  ) : (
    <KeyedButton
      {...button}
      action={undefined}
      aria-disabled="true"
      title={may.error}
      aria-description={may.error}
      onClick={undefined}
    />
  );
};
