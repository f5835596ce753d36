/** Tabs that show PDFs, each with the object URL that keeps its bytes available for a reload. */
const openPdfs = new Map<Window, string>();

/** Shows a PDF in this tab. Its bytes are kept until another PDF is opened after the tab was closed. */
export const showPdf = (tab: Window, pdf: Blob): void => {
  for (const [other, url] of openPdfs) if (other.closed) forget(other, url);
  const url = URL.createObjectURL(pdf);
  openPdfs.set(tab, url);
  tab.location.href = url;
};

/** Closes all PDFs after sign-out. */
export const closePdfs = (): void => {
  for (const [tab, url] of openPdfs) {
    tab.close();
    forget(tab, url);
  }
};

const forget = (tab: Window, url: string): void => {
  URL.revokeObjectURL(url);
  openPdfs.delete(tab);
};
