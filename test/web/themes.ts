/** How screens are shown to different people: the options of a browser's context. */
export const themes = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  narrow: { colorScheme: "light", viewport: { width: 390, height: 844 } },
} as const;
