/** The parts of a service worker's scope that the page's own uses: the types of browsers know those of documents alone. */
export interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window"; includeUncontrolled: true }): Promise<readonly OpenTab[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ): void;
}

export interface OpenTab {
  readonly url: string;
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
  postMessage(message: unknown, transfer: readonly MessagePort[]): void;
}

interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}

export interface WorkerEvents {
  readonly install: Extendable;
  readonly activate: Extendable;
  readonly fetch: Extendable & { readonly request: Request; respondWith(answer: Promise<Response>): void };
  readonly push: Extendable & { readonly data: { json(): unknown } | null };
  readonly notificationclick: Extendable & { readonly notification: Notification };
}
