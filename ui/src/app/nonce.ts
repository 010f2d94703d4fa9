declare global {
  // The name under which get-nonce, below Mantine's dialogs, looks.
  var __webpack_nonce__: string | undefined;
}

/** The nonce of this page's style elements, as the server put it in; the policy refuses those without. */
export function styleNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  globalThis.__webpack_nonce__ = nonce;
  return nonce;
}
