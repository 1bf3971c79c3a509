const wide = { width: 1280, height: 800 } as const;
const narrow = { width: 390, height: 844 } as const;

/** How screens are shown to different people: the options of a browser's context. */
export const themes = {
  light: { colorScheme: "light", viewport: wide },
  dark: { colorScheme: "dark", viewport: wide },
  narrow: { colorScheme: "light", viewport: narrow },
  "narrow-dark": { colorScheme: "dark", viewport: narrow },
} as const;
