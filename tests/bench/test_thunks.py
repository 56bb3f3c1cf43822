"""Reading XLA's dumps: a program's thunks with their loops and branches, and its instructions with their bytes."""

from __future__ import annotations

import pytest

from hive.experiments.bench.gpu.instructions import Instructions
from hive.experiments.bench.gpu.thunks import Thunk, each, read_thunks

SIZE = "grid: [8, 1, 1] threads: [128, 1, 1]  shared_memory: 0 bytes"
THUNKS = f"""\
000: kCommandBuffer [source       | next=003 (1)] 
    001: kCustomKernel [source       | next=002 (1)] first {SIZE}
    002: kCopy         [prev=001 (1) | sink        ] kCopy
003: kWhile         [prev=000 (1) | next=000 (1)]   
condition:
    004: kCustomKernel [source | sink] test {SIZE}
  body:
    005: kCustomKernel [source       | next=006 (1)] look {SIZE}
    006: kConditional  [prev=005 (1) | next=011 (1)]       
      false_branch:
        007: kCustomKernel [source | sink] light {SIZE}
      true_branch:
        008: kWhile         [prev=000 (1) | next=000 (1)]           
condition:
    No thunks.  body:
            009: kCustomKernel [source | sink] heavy {SIZE}
        010: kCustomKernel [prev=008 (1) | sink        ] after {SIZE}
    011: kCustomKernel [prev=006 (1) | sink        ] last {SIZE}
012: kCustomKernel [prev=003 (1) | sink        ] end {SIZE}
"""
METADATA = "\n".join(
    f'thunk_metadata {{\n  thunk_info {{\n    profile_annotation: "{name}"\n    thunk_id: {number}\n  }}\n}}'
    for number, name in {1: "first.1", 3: "while.9", 6: "cond.3", 8: "while.4", 9: "heavy.2"}.items()
)
HLO = """\
HloModule jit_counted, is_scheduled=true

%parts (param_0: f32[1000], param_1: s32[10], param_2: f32[1000]) -> f32[1000] {
  %param_0 = f32[1000]{0} parameter(0)
  %param_1 = s32[10,1]{1,0} parameter(1)
  %param_2 = f32[1000]{0} parameter(2)
  %flat.1 = f32[1000]{0} bitcast(%param_0)
  %taken.1 = f32[10]{0} gather(%flat.1, %param_1), offset_dims={}, slice_sizes={1}
  ROOT %changed.1 = f32[1000]{0} scatter(%param_2, %param_1, %taken.1), to_apply=%region
}

%light (arg.1: (f32[4], pred[])) -> f32[4] {
  %arg.1 = (f32[4]{0}, pred[]) parameter(0)
  ROOT %one.1 = f32[4]{0} copy(%arg.1#0), metadata={op_name="jit(counted)/loop0/while/body/loop1/cond/branch_1_fun/a"}
}

%heavy (arg.2: (f32[4], pred[])) -> f32[4] {
  ROOT %arg.2 = (f32[4]{0}, pred[]) parameter(0)
}

ENTRY %main (a: f32[1000], b: s32[10], c: u32[64000]) -> f32[1000] {
  %a.1 = f32[1000]{0} parameter(0)
  %b.1 = s32[10,1]{1,0} parameter(1)
  %c.1 = u32[64000]{0} parameter(2)
  %fusion.1 = f32[1000]{0} fusion(%a.1, %b.1, %a.1), kind=kInput, calls=%parts
  %sort.1 = (u32[64000]{0}, s32[64000]{0}) sort(%c.1, %c.1), dimensions={0}, to_apply=%less
  %add.1 = f32[1000]{0} add(%fusion.1, /*index=1*/%a.1)
  %pick.1 = s32[64000]{0} copy(%sort.1#1)
  %while.4 = (s32[], f32[4]{0}) while(%t.1), condition=%c, body=%b, backend_config={"known_trip_count":{"n":"6"}}
  %while.9 = (s32[]) while(%t.2), condition=%c, body=%b, metadata={op_name="jit(counted)/vmap(loop0)/while"}
  ROOT %cond.3 = f32[4]{0} conditional(%p.1, %x.1, %x.1), true_computation=%heavy, false_computation=%light, \
metadata={op_name="jit(counted)/loop0/while/body/loop1/cond"}
}
"""


def kinds(thunks: list[Thunk]) -> list[str]:
    return [thunk.kind.removeprefix("k") for thunk in thunks]


def test_loops_and_branches_hold_their_thunks() -> None:
    program = read_thunks(THUNKS, METADATA)
    assert kinds(program) == ["CommandBuffer", "While", "CustomKernel"]
    graph, loop, _ = program
    assert kinds(graph.body) == ["CustomKernel", "Copy"] and graph.name == "" and graph.body[0].name == "first.1"
    assert kinds(loop.condition) == ["CustomKernel"] and loop.name == "while.9"
    assert kinds(loop.body) == ["CustomKernel", "Conditional", "CustomKernel"]
    branches = loop.body[1].branches
    assert {label: kinds(inner) for label, inner in branches.items()} == {
        "false_branch": ["CustomKernel"],
        "true_branch": ["While", "CustomKernel"],
    }
    inner = branches["true_branch"][0]
    assert inner.condition == [] and [thunk.name for thunk in inner.body] == ["heavy.2"]
    assert len(list(each(program))) == 13


def test_a_dump_of_another_form_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="unknown form in a dump of XLA: 013 = kernel"):
        read_thunks(f"{THUNKS}013 = kernel\n", METADATA)


def test_loops_say_where_they_come_from_and_how_often_they_turn() -> None:
    read = Instructions(HLO)
    assert set(read.deciding()) == {"while.4", "while.9", "cond.3"}
    assert (read["while.4"].turns, read["while.9"].turns) == (6, None)
    assert read["while.9"].origin == "jit(counted)/vmap(loop0)/while"


def test_traffic_is_what_has_to_be_read_and_written() -> None:
    read = Instructions(HLO)
    assert read.traffic("add.1") == 3 * 4000
    assert read.traffic("pick.1") == 2 * 256_000  # one part of a tuple
    assert read.traffic("fusion.1") == 10 * 32 + 40 + 40  # ten places of one array, their numbers, ten changes
    assert (read.sorted_elements("sort.1"), read.sorted_elements("add.1")) == (64_000, 0)
