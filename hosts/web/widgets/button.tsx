import type { ComponentProps, ReactNode } from "react";
import { Link } from "wouter";
import { Icon, type IconName } from "./icon.tsx";

type Kind = "plain" | "main" | "danger" | "quiet";

interface ButtonStyle {
  /** main: the one thing to do here. danger: something is lost. quiet: without a border. */
  readonly kind?: Kind;
  readonly icon?: IconName;
  readonly small?: boolean;
  readonly children?: ReactNode;
}

type ButtonProps = Omit<ComponentProps<"button">, "type" | "className"> &
  ButtonStyle & {
    readonly type?: "button" | "submit";
    /** Work is in progress: screen readers hear it, and further clicks do nothing. */
    readonly busy?: boolean;
  };

const classes = ({ kind = "plain", small = false, children }: ButtonStyle) =>
  `button ${kind}${small ? " small" : ""}${children === undefined ? " icon-only" : ""}`;

/** A verb: Approve, Retry, Resume. */
export const Button = ({ kind, icon, small, busy = false, children, disabled, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    className={classes({ kind, small, children } as ButtonStyle)}
    aria-busy={busy || undefined}
    disabled={disabled || busy}
  >
    {icon === undefined ? null : <Icon name={busy ? "loader-circle" : icon} />}
    {children === undefined ? null : <span>{children}</span>}
  </button>
);

type IconButtonProps = Omit<ButtonProps, "children"> & { readonly icon: IconName; readonly label: string };

/** An icon alone; `label` is read out and shown on hover. */
export const IconButton = ({ label, ...rest }: IconButtonProps) => (
  <Button kind="quiet" {...rest} aria-label={label} title={rest.title ?? label} />
);

/** Looks like a button and goes somewhere. */
export const LinkButton = ({ to, icon, children, ...style }: ButtonStyle & { readonly to: string }) => (
  <Link href={to} className={classes({ ...style, children })}>
    {icon === undefined ? null : <Icon name={icon} />}
    <span>{children}</span>
  </Link>
);
