import type { Argument, Command, Option } from 'commander';
import { preferenceNames } from '@portico/core';

/**
 * What a shell reads to complete `portico`. Each asks `portico complete -- <words>` and gets candidates, a line each with
 * a tab before what they mean, then `:0` where files may be meant and `:4` where not (the directives of Cobra's
 * protocol). The words go as they were typed and are never evaluated.
 */
export const completionScripts: Readonly<Record<'bash' | 'zsh' | 'fish', string>> = {
  bash: `__portico_complete() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :0) COMPREPLY+=($(compgen -f -- "$cur")) ;;
      :*) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(portico complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F __portico_complete portico
`,
  zsh: `#compdef portico
_portico() {
  local line
  local -a candidates
  for line in "\${(@f)$(portico complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :0) _files ;;
      :*) ;;
      *) candidates+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  _describe portico candidates
}
compdef _portico portico
`,
  fish: `function __portico_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (portico complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path (commandline -ct)
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c portico -f -a '(__portico_complete)'
`,
};

/** The answer to `portico complete`: what may stand in the place of the last word. */
export const complete = (program: Command, words: readonly string[]): string => {
  const { candidates, files } = candidatesFor(program, words);
  const partial = words.at(-1) ?? '';
  return [
    ...candidates.filter(([word]) => word.startsWith(partial)).map(([word, meaning]) => `${word}\t${meaning}`),
    files ? ':0' : ':4',
    '',
  ].join('\n');
};

interface Candidates {
  readonly candidates: readonly (readonly [word: string, meaning: string])[];
  readonly files?: boolean;
}

const candidatesFor = (program: Command, words: readonly string[]): Candidates => {
  let command = program;
  let awaiting: Option | undefined;
  let given = 0;
  for (const word of words.slice(0, -1)) {
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (awaiting) awaiting = undefined;
    else if (option) awaiting = option.required ? option : undefined;
    else {
      const inner = command.commands.find((one) => one.name() === word);
      if (inner) command = inner;
      else given += 1;
    }
  }
  if (awaiting) return valuesOf(awaiting);
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description }) => [long ?? short ?? '', description] as const);
  if (words.at(-1)?.startsWith('-')) return { candidates: [...options, ['--help', 'display help for command']] };
  const commands = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => [one.name(), one.summary() || one.description()] as const);
  const argument = command.registeredArguments[given] ?? command.registeredArguments.findLast((one) => one.variadic);
  const values = argument ? valuesOf(argument) : { candidates: [] };
  return { ...values, candidates: [...commands, ...values.candidates] };
};

/** By how the value is called in the help: choices, preferences, a file. */
const valuesOf = (one: Argument | Option): Candidates => {
  const name = 'flags' in one ? (/<([^>]+)>/.exec(one.flags)?.[1] ?? '') : one.name();
  if (one.argChoices) return { candidates: one.argChoices.map((choice) => [choice, ''] as const) };
  if (name.startsWith('name=on'))
    return {
      candidates: preferenceNames.flatMap((name) => [[`${name}=on`, ''] as const, [`${name}=off`, ''] as const]),
    };
  return { candidates: [], files: /file/.test(name) };
};
