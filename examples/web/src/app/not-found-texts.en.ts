export const notFound = {
  title: 'Page not found',
  body: 'If you typed the address, check that it is correct. Otherwise use one of these pages:',
};
