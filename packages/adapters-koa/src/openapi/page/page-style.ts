/** Styles for light and dark mode, from 360 pixels up. Every text has a contrast ratio of at least 4.5:1. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1c21; --soft: #565964; --ground: #fff; --well: #f1f2f6; --edge: #c9ccd6; --link: #0a4fb5 }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e8ee; --soft: #b0b3bf; --ground: #15161a; --well: #23252c; --edge: #454955; --link: #8db8ff } }
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--ground); overflow-wrap: anywhere }
header, nav, main { padding: 1rem; max-width: 60rem; margin: 0 auto }
a { color: var(--link) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--ground) }
.skip:focus { left: 0; z-index: 1 }
h1, h2, h3, h4 { line-height: 1.25; scroll-margin-top: 1rem }
h2 { margin: 2rem 0 .5rem; border-bottom: 2px solid var(--edge) }
h3 { margin: .75rem 0 .25rem }
h4 { margin: .5rem 0 .25rem }
article { border: 1px solid var(--edge); border-radius: .5rem; padding: 0 1rem 1rem; margin: 1rem 0 }
code, pre { font: .9em/1.5 ui-monospace, monospace; background: var(--well); border-radius: .25rem }
code { padding: 0 .2em }
pre { padding: .75rem; white-space: pre-wrap }
pre code { padding: 0; font-size: 1em }
.sample { max-height: 13rem; overflow-y: auto }
summary { cursor: pointer; padding: .2rem 0 }
summary h3 { display: inline; font-size: 1em }
p { margin: .5rem 0 }
pre { margin: .5rem 0 }
dl, ul { margin: .25rem 0 }
dd { margin: 0 0 .4rem 1rem }
ul { padding-left: 1.25rem }
nav ul { list-style: none; padding: 0 }
nav a { display: inline-block; padding: .2rem 0 }
.fields li { margin: .4rem 0 }
.kind { color: var(--soft) }
article > h3, .summary { display: inline-block; margin: .75rem 1rem .25rem 0 }
@media (min-width: 75rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); grid-template-areas: 'top top' 'list text'; max-width: 85rem; margin: 0 auto }
  header { grid-area: top; max-width: none; width: 100% }
  nav { grid-area: list; position: sticky; top: 0; max-height: 100vh; overflow-y: auto; margin: 0 }
  main { grid-area: text; margin: 0 }
  .columns { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 4fr); gap: 1.5rem }
}
@media print { nav, .skip { display: none } .sample { max-height: none } }
`;
