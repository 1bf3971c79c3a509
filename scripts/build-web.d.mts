export declare const firstLoadMaxBytes: number;
export declare const firstScreenMax: { readonly bytes: number; readonly files: number };
export declare const buildWeb: (to: string) => Promise<{ readonly firstLoadBytes: number }>;
