/** A use of a tool that a program asks for. People see it with the run's secrets masked. */
export interface PermissionRequest {
  /** The program's name of the tool. */
  readonly tool: string;
  /** In one line. */
  readonly title: string;
  /** Whole: of a command, 16,000 characters are the most. */
  readonly command?: string;
  /** Of a file or folder. */
  readonly path?: string;
  /** The change of a file: lines with " ", "+" or "-" before them. */
  readonly diff?: string;
  /** Why, in the words of the program or its model. */
  readonly reason?: string;
}

export type PermissionAnswer = { readonly allow: true } | { readonly allow: false; readonly message: string };

/** A message of a person to a run while it works, or an interrupt. */
export type Word =
  | { readonly kind: "message"; readonly id: string; readonly text: string }
  /** End the turn and keep the session; the service ends a run that still works after 15 seconds. */
  | { readonly kind: "interrupt" };

export interface MessageAgain {
  readonly id: string;
  readonly text: string;
}
