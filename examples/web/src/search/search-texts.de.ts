import type { search as english } from './search-texts.en.ts';

const count = (number: number, one: string, other: string): string => `${number} ${number === 1 ? one : other}`;

export const search: typeof english = {
  title: 'Suche',
  lead: 'Eine Suche umfasst mehrere Gesundheitsnetze. Angebote erscheinen, sobald sie eintreffen.',
  query: 'Was suchen Sie?',
  queryHint: 'Zum Beispiel ein Medikament, ein Gerät oder eine Leistung',
  queryMissing: 'Geben Sie ein, was Sie suchen',
  persona: 'Suchen als',
  submit: 'Suchen',
  cancel: 'Suche abbrechen',
  again: 'Erneut suchen',
  cannotBeShown: 'Diese Ergebnisse können nicht angezeigt werden.',
  idle: 'Geben Sie ein Medikament, ein Gerät oder eine Leistung ein, um die Angebote aller Netze zu vergleichen.',
  status: {
    searching: (responded, all) =>
      all === 0
        ? 'Suche läuft …'
        : `Suche läuft … ${responded} von ${count(all, 'Netz hat', 'Netzen haben')} geantwortet.`,
    offers: (offers, networks) => `${count(offers, 'Angebot', 'Angebote')} aus ${count(networks, 'Netz', 'Netzen')}.`,
    noOffers: 'Es wurden keine Angebote gefunden.',
    noNetwork: 'Kein Netz hat ein Ergebnis geliefert.',
    cancelled: 'Die Suche wurde abgebrochen.',
    arrived: (offers) =>
      offers === 1 ? '1 Angebot ist vorher eingetroffen.' : `${offers} Angebote sind vorher eingetroffen.`,
    interrupted: 'Die Suche wurde unterbrochen.',
    timedOut: (networks) => `${count(networks, 'Netz hat', 'Netze haben')} nicht rechtzeitig geantwortet.`,
    failed: (networks) =>
      networks === 1 ? '1 Netz konnte nicht durchsucht werden.' : `${networks} Netze konnten nicht durchsucht werden.`,
    partial: (networks) => `${count(networks, 'Netz hat', 'Netze haben')} nur einen Teil der Ergebnisse.`,
  },
  networks: {
    title: 'Netze',
    ready: 'Bereit',
    waiting: 'Warten auf eine Antwort …',
    sellers: (sellers) => `Bisher ${count(sellers, 'Anbieter', 'Anbieter')} …`,
    notFinished: 'Nicht abgeschlossen',
    done: (offers) => count(offers, 'Angebot', 'Angebote'),
    partial: (offers) => `${count(offers, 'Angebot', 'Angebote')}; einige Anbieter meldeten einen Fehler`,
    timedOut: 'Nicht rechtzeitig geantwortet',
    unreachable: 'Nicht erreichbar',
    refused: 'Meldete einen Fehler',
    details: 'Details',
    facts: {
      transaction: 'Transaktion',
      time: 'Zeit',
      error: 'Fehler',
      seller: 'Anbieter',
    },
    unknownSeller: 'Unbekannter Anbieter',
    response: 'Antwort',
  },
  offers: {
    title: 'Angebote',
    waiting: 'Warten auf die ersten Angebote …',
    none: 'Keine Angebote.',
    tryOther: 'Versuchen Sie ein allgemeineres Wort, oder prüfen Sie die Schreibweise.',
    noMatch: 'Keine Angebote passen zum Filter.',
    clear: 'Filter entfernen',
    shown: (shown, all) =>
      shown === all ? count(all, 'Angebot', 'Angebote') : `${shown} von ${count(all, 'Angebot', 'Angeboten')}`,
    more: 'Mehr Angebote anzeigen',
    network: 'Netz',
    allNetworks: 'Alle Netze',
    sort: 'Sortieren nach',
    arrival: 'Reihenfolge des Eintreffens',
    orders: { name: 'Name', price: 'Niedrigster Preis', distance: 'Kürzeste Entfernung', rating: 'Beste Bewertung' },
    filter: 'Filter',
    notAvailable: 'Nicht verfügbar',
    rating: (value, ratings) => (ratings === undefined ? `Bewertung ${value}` : `Bewertung ${value} (${ratings})`),
    distance: (kilometres) => `${kilometres} km`,
    priceOnRequest: 'Kein Preis angegeben',
    price: {
      about: (amount) => `Etwa ${amount}`,
      from: (amount) => `Ab ${amount}`,
      upTo: (amount) => `Bis ${amount}`,
      range: (minimum, maximum) => `${minimum} bis ${maximum}`,
      per: (amount, unit) => `${amount} je ${unit}`,
      listed: (amount) => `Listenpreis ${amount}`,
    },
  },
};
