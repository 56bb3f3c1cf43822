"""Train IPPO on orders for three squads, and play held-out games next to random actions and the best behaviour tree."""

from __future__ import annotations

import argparse

import jax

import hive.rl
from hive.rl.evaluation import best, play_plans, play_policy
from hive.rl.policies import learned, with_baselines
from hive.rl.ppo import make_train, network_of
from hive.rl.registry import load_world, task
from hive.rl.settings import Config
from hive.worlds.battle.environment.tasks import tree_plans

TASK = "orders_20v20"  # a step orders three squads, and the orders hold for five ticks


def main() -> None:
    """Train one policy, show how its share of games won rose, and compare it on seeds that training never saw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40_000, help="environment steps of the training")
    parser.add_argument("--games", type=int, default=100, help="held-out games of each player")
    args = parser.parse_args()

    env = hive.rl.make(TASK)
    config = Config(total_timesteps=args.steps, num_envs=32, num_steps=10, update_epochs=8, learning_rate=3e-3,
                    ent_coef=3e-3)  # fmt: skip
    params, metrics = jax.jit(make_train(env, config))(jax.random.key(0))
    parts = min(10, config.num_updates)
    for part in range(parts):
        some = slice(part * config.num_updates // parts, (part + 1) * config.num_updates // parts)
        games, won = int(metrics.games[some].sum()), int(metrics.won[some].sum())
        print(f"after {some.stop * config.batch_size:6,} steps: won {won:3d} of {games:3d} games of training")

    seeds = range(1_000_000, 1_000_000 + args.games)
    policies = with_baselines({"IPPO": learned(network_of(env, config), params)})
    played = [play_policy(env, policy, seeds, name) for name, policy in policies.items()]
    world = load_world(task(TASK))
    for each in [*played, best(play_plans(world, tree_plans(world), seeds))]:
        found = each.json()
        low, high = found["interval"]
        print(f"{each.name:>22}: won {found['share']:4.0%} of {args.games} games, 95% interval {low:.0%} to {high:.0%}")


if __name__ == "__main__":
    main()
