import type { Argument, Command, Option } from 'commander';
import { preferenceNames } from '@portico/core';

/**
 * The completion scripts. Each runs `portico complete -- <words>`, which prints one candidate per line with a tab before
 * its description, then `:0` if file names are possible and `:4` if not (the directives of Cobra's protocol). Words and
 * file names are never evaluated: the shell's own completion offers and quotes file names.
 */
export const completionScripts: Readonly<Record<'bash' | 'zsh' | 'fish', string>> = {
  bash: `__portico_complete() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      # Readline completes and quotes file names.
      :0) compopt -o default 2>/dev/null ;;
      :*) ;;
      *)
        line="\${line%%$'\\t'*}"
        # In "email=on", readline replaces only the part after the "=".
        if [[ $cur == "=" || ( $previous == "=" && -n $cur ) ]]; then line="\${line#*=}"; fi
        COMPREPLY+=("$line")
        ;;
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

/** Returns the output of `portico complete`: the candidates for the last word. */
export const complete = (program: Command, typed: readonly string[]): string => {
  const words = joinAssignments(typed);
  const { candidates, files } = candidatesFor(program, words);
  const partial = words.at(-1) ?? '';
  return [
    ...candidates.filter(([word]) => word.startsWith(partial)).map(([word, meaning]) => `${word}\t${meaning}`),
    files ? ':0' : ':4',
    '',
  ].join('\n');
};

/** Joins assignments: bash passes `email=on` as three words. */
const joinAssignments = (words: readonly string[]): readonly string[] =>
  words.reduce<readonly string[]>((all, word, index) => {
    const isPart = word === '=' || (words[index - 1] === '=' && word !== '');
    return isPart && all.length > 0 ? [...all.slice(0, -1), `${all.at(-1)}${word}`] : [...all, word];
  }, []);

interface Candidates {
  readonly candidates: readonly (readonly [word: string, meaning: string])[];
  readonly files?: boolean;
}

const candidatesFor = (program: Command, words: readonly string[]): Candidates => {
  let command = program;
  let awaiting: Option | undefined;
  let argumentCount = 0;
  for (const word of words.slice(0, -1)) {
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (awaiting) awaiting = undefined;
    else if (option) awaiting = option.required ? option : undefined;
    else {
      const inner = command.commands.find((one) => one.name() === word);
      if (inner) command = inner;
      else argumentCount += 1;
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
  const argument =
    command.registeredArguments[argumentCount] ?? command.registeredArguments.findLast((one) => one.variadic);
  const values = argument ? valuesOf(argument) : { candidates: [] };
  return { ...values, candidates: [...commands, ...values.candidates] };
};

/** Derives the candidates from the name of the value in the help: choices, preferences or a file. */
const valuesOf = (one: Argument | Option): Candidates => {
  const name = 'flags' in one ? (/<([^>]+)>/.exec(one.flags)?.[1] ?? '') : one.name();
  if (one.argChoices) return { candidates: one.argChoices.map((choice) => [choice, ''] as const) };
  if (name.startsWith('name=on'))
    return {
      candidates: preferenceNames.flatMap((name) => [[`${name}=on`, ''] as const, [`${name}=off`, ''] as const]),
    };
  return { candidates: [], files: /file/.test(name) };
};
