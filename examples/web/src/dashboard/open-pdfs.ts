/** The tabs with PDFs, and the object URLs that keep the bytes of each for a reload of its tab. */
const openPdfs = new Map<Window, string>();

/** Shows a PDF in this tab. Its bytes are kept until the tab is closed, which is noticed when another PDF is opened. */
export const showPdf = (tab: Window, pdf: Blob): void => {
  for (const [other, url] of openPdfs) if (other.closed) forget(other, url);
  const url = URL.createObjectURL(pdf);
  openPdfs.set(tab, url);
  tab.location.href = url;
};

/** Closes every PDF of a member who signed out. */
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
