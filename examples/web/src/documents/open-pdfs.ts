/** Tabs that show PDFs, each with the object URL that keeps its bytes available for a reload. */
const openPdfs = new Map<Window, string>();

/** Reads of PDFs that are not finished. */
const reads = new Set<AbortController>();

/**
 * Reads a PDF and shows it in this tab. Its bytes are kept until another PDF is opened after the tab was closed. Rejects
 * if the read fails, or if the member signs out first.
 */
export const showPdf = async (tab: Window, read: (signal: AbortSignal) => Promise<Blob>): Promise<void> => {
  const controller = new AbortController();
  reads.add(controller);
  try {
    const pdf = await read(controller.signal);
    controller.signal.throwIfAborted();
    for (const [other, url] of openPdfs) if (other.closed) forget(other, url);
    const url = URL.createObjectURL(pdf);
    openPdfs.set(tab, url);
    tab.location.href = url;
  } finally {
    reads.delete(controller);
  }
};

/** Closes all PDFs after sign-out, and cancels those that are still being read. */
export const closePdfs = (): void => {
  for (const controller of reads) controller.abort();
  for (const [tab, url] of openPdfs) {
    tab.close();
    forget(tab, url);
  }
};

const forget = (tab: Window, url: string): void => {
  URL.revokeObjectURL(url);
  openPdfs.delete(tab);
};
